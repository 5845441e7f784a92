/* binding.c - addresses in bound matrices, and scaling and conversion of local parts. */
#include "exec/binding.h"

sct_target sct_bound_target(const sct_bound *bound, sct_place place, int64_t line, int64_t at,
                            int64_t lines, int64_t count) {
    size_t bytes = sct_type_bytes(bound->type);
    return (sct_target){.segment = bound->segment,
                        .rank = place.rank,
                        .block = place.block,
                        .part = {line, (size_t)at * bytes, lines, (size_t)count * bytes}};
}

void sct_bound_shape(const sct_layout *layout, sct_type type, int rank, sct_memory *memory) {
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        size_t width = (size_t)sct_layout_line_size(layout, cell) * sct_type_bytes(type);
        memory[block] = (sct_memory){NULL, width, sct_layout_lines(layout, cell), width};
    }
}

/* The address of this rank's part of a block, and its leading dimension. */
static void *begin(const sct_exec_context *context, const sct_bound *bound, int block,
                   const sct_part *part, int64_t *ld) {
    size_t bytes = sct_type_bytes(bound->type);
    const sct_memory *own = context->fabric->ops->peer(bound->segment, context->fabric->rank);
    *ld = sct_memory_ld(&own[block], bytes);
    return sct_memory_at(&own[block], part->line, part->at, bytes);
}

/* Applies a command to each local part of `to`, with the same part of `from`. */
static sct_status on_parts(const sct_exec_context *context, sct_command command,
                           const sct_bound *from, const sct_bound *to, sct_stream *stream) {
    int rank = context->fabric->rank;
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(to->layout, rank) && !status; block++) {
        sct_part part = sct_layout_part_in(to->layout, &to->slice, rank, block);
        command.strided.lines = part.lines;
        command.strided.count = part.count;
        command.strided.from = begin(context, from, block, &part, &command.strided.from_ld);
        command.strided.to = begin(context, to, block, &part, &command.strided.to_ld);
        status = context->device->ops->submit(stream, &command);
    }
    return status;
}

sct_status sct_bound_scale(const sct_exec_context *context, const sct_bound *bound,
                           sct_scalar factor, sct_stream *stream) {
    if (sct_scalar_is(bound->type, factor, 1))
        return SCT_OK;
    sct_command command = {
        .work = SCT_DO_SCALE, .type = bound->type, .strided = {.factor = factor}};
    return on_parts(context, command, bound, bound, stream);
}

sct_status sct_bound_move(const sct_exec_context *context, const sct_bound *from,
                          const sct_bound *to, sct_stream *stream) {
    int rank = context->fabric->rank;
    size_t bytes = sct_type_bytes(to->type);
    sct_status status = SCT_OK;
    for (int block = 0; block < sct_layout_cells(to->layout, rank) && !status; block++) {
        sct_part part = sct_layout_part_in(to->layout, &to->slice, rank, block);
        int64_t from_ld, to_ld;
        void *source = begin(context, from, block, &part, &from_ld);
        void *target = begin(context, to, block, &part, &to_ld);
        status = sct_device_move(context->device, stream, part.lines, (size_t)part.count * bytes,
                                 source, (size_t)from_ld * bytes, target, (size_t)to_ld * bytes);
    }
    sct_status waited = sct_device_drain(context->device, stream);
    return status ? status : waited;
}

sct_status sct_bound_convert(const sct_exec_context *context, const sct_bound *from,
                             const sct_bound *to, sct_stream *stream) {
    sct_command command = {
        .work = SCT_DO_CONVERT, .type = from->type, .strided = {.to_type = to->type}};
    return on_parts(context, command, from, to, stream);
}

sct_status sct_exec_meet(const sct_exec_context *context, sct_status status, sct_stream *stream,
                         bool defers) {
    sct_fabric *fabric = context->fabric;
    return defers ? fabric->ops->order(fabric, status, stream) : sct_fabric_agree(fabric, status);
}
