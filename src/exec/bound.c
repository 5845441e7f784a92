/* bound.c - addresses in bound matrices, and scaling. */
#include "exec/bound.h"

sct_target sct_bound_target(const sct_bound *bound, sct_place place, int64_t line, int64_t at,
                            int64_t lines, int64_t count) {
    size_t bytes = sct_type_bytes(bound->type);
    return (sct_target){.segment = bound->segment,
                        .rank = place.rank,
                        .block = place.block,
                        .line = line,
                        .byte = (size_t)at * bytes,
                        .lines = lines,
                        .width = (size_t)count * bytes};
}

sct_status sct_bound_scale(const sct_site *site, const sct_bound *bound, sct_scalar factor,
                           sct_stream *stream) {
    if (sct_scalar_is(bound->type, factor, 1))
        return SCT_OK;
    int rank = site->fabric->rank;
    size_t bytes = sct_type_bytes(bound->type);
    const sct_memory *own = site->fabric->ops->peer(bound->segment, rank);
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(bound->layout, rank) && !status; block++) {
        sct_part part = sct_layout_part(bound->layout, &bound->slice, rank, block);
        sct_command command = {
            .work = SCT_DO_SCALE,
            .type = bound->type,
            .strided = {.lines = part.lines,
                        .count = part.count,
                        .to = sct_memory_at(&own[block], part.line, part.at, bytes),
                        .to_ld = sct_memory_ld(&own[block], bytes),
                        .factor = factor}};
        status = site->device->ops->submit(stream, &command);
    }
    sct_status waited = site->device->ops->wait(site->device->ops->record(stream));
    return status ? status : waited;
}
