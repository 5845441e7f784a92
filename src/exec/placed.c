/* placed.c - copies what a view has of each part between the caller's memory and the devices. */
#include "exec/placed.h"

#include <stdlib.h>

/* Makes the shapes of this rank's blocks as small as the slice allows: they end with its last line,
 * and lines with its last element. They begin where the blocks do, so that offsets stay valid. */
static void shape_until(const sct_bound *bound, int rank, sct_memory *memory) {
    sct_bound_shape(bound->layout, bound->type, rank, memory);
    for (int block = 0; block < sct_layout_cells(bound->layout, rank); block++) {
        sct_part part = sct_layout_part(bound->layout, &bound->slice, rank, block);
        bool empty = part.lines == 0 || part.count == 0;
        memory[block].lines = empty ? 0 : part.line + part.lines;
        memory[block].width = (size_t)(part.at + part.count) * sct_type_bytes(bound->type);
        memory[block].pitch = memory[block].width;
    }
}

sct_status sct_bound_open(const sct_site *site, const sct_bound *like, sct_type type,
                          sct_bound *made) {
    sct_fabric *fabric = site->fabric;
    sct_bound bound = {.type = type, .layout = like->layout, .slice = like->slice};
    int cells = sct_layout_cells(like->layout, fabric->rank);
    sct_memory *memory = calloc((size_t)cells + 1, sizeof *memory);
    sct_status status = sct_fabric_agree(
        fabric, memory ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory for %d blocks", cells));
    if (!status) {
        shape_until(&bound, fabric->rank, memory);
        status = fabric->ops->segment_open(fabric, cells, memory, &bound.segment);
    }
    free(memory);
    if (!status)
        *made = bound;
    return status;
}

sct_status sct_placed_open(const sct_site *site, const sct_bound *given, sct_bound *placed) {
    *placed = *given;
    return given->staged ? sct_bound_open(site, given, given->type, placed) : SCT_OK;
}

sct_status sct_placed_load(const sct_site *site, const sct_bound *given, const sct_bound *placed,
                           sct_stream *stream) {
    return given->staged ? sct_bound_move(site, given, placed, stream) : SCT_OK;
}

sct_status sct_placed_store(const sct_site *site, const sct_bound *placed, const sct_bound *given,
                            sct_stream *stream) {
    return given->staged ? sct_bound_move(site, placed, given, stream) : SCT_OK;
}

void sct_placed_close(const sct_site *site, const sct_bound *given, const sct_bound *placed) {
    if (given->staged)
        site->fabric->ops->segment_close(placed->segment);
}
