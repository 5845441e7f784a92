/* scratch.c - opens scratch matrices, and keeps the last ones in a list. */
#include "exec/scratch.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Makes the shapes of this rank's blocks as small as the slice allows: they end with its last line,
 * and lines with its last element. They begin where the blocks do, so that offsets stay valid. */
static void shape_until(const sct_bound *bound, int rank, sct_memory *memory) {
    sct_bound_shape(bound->layout, bound->type, rank, memory);
    for (int block = 0; block < sct_layout_cells(bound->layout, rank); block++) {
        sct_part part = sct_layout_part_in(bound->layout, &bound->slice, rank, block);
        bool empty = part.lines == 0 || part.count == 0;
        memory[block].lines = empty ? 0 : part.line + part.lines;
        memory[block].width = (size_t)(part.at + part.count) * sct_type_bytes(bound->type);
        memory[block].pitch = memory[block].width;
    }
}

static sct_status allocate(const sct_exec_context *context, sct_bound *made) {
    sct_fabric *fabric = context->fabric;
    int cells = sct_layout_cells(made->layout, fabric->rank);
    sct_memory *memory = calloc((size_t)cells + 1, sizeof *memory);
    sct_status status = sct_fabric_agree(
        fabric, memory ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory for %d blocks", cells));
    if (!status) {
        shape_until(made, fabric->rank, memory);
        status = fabric->ops->segment_open(fabric, cells, memory, &made->segment);
    }
    free(memory);
    return status;
}

/* The bytes of an average rank: a number that is equal on all ranks. */
static size_t average_bytes(const sct_bound *bound) {
    const sct_layout *layout = bound->layout;
    double elements = (double)layout->rows.extent * (double)layout->cols.extent;
    return (size_t)(elements * layout->replicas / layout->ranks *
                    (double)sct_type_bytes(bound->type));
}

static sct_segment *take_out(sct_scratch *scratch, int i) {
    sct_segment *segment = scratch->kept[i].segment;
    scratch->bytes -= scratch->kept[i].bytes;
    scratch->count--;
    memmove(&scratch->kept[i], &scratch->kept[i + 1],
            (size_t)(scratch->count - i) * sizeof scratch->kept[0]);
    return segment;
}

static bool suits(const sct_scratch_kept *kept, const sct_bound *wanted) {
    return kept->alike == wanted->alike && kept->type == wanted->type &&
           sct_slice_equal(&kept->slice, &wanted->slice);
}

sct_status sct_scratch_open(const sct_exec_context *context, const sct_bound *like, sct_type type,
                            sct_bound *made) {
    sct_scratch *scratch = context->scratch;
    sct_bound wanted = {
        .type = type, .layout = like->layout, .slice = like->slice, .alike = like->alike};
    sct_status status = SCT_OK;
    for (int i = scratch->count - 1; i >= 0 && !wanted.segment; i--)
        if (suits(&scratch->kept[i], &wanted))
            wanted.segment = take_out(scratch, i);
    if (!wanted.segment)
        status = allocate(context, &wanted);
    if (!status)
        *made = wanted;
    return status;
}

void sct_scratch_close(const sct_exec_context *context, const sct_bound *made, bool keep) {
    sct_scratch *scratch = context->scratch;
    const sct_fabric_ops *fabric = context->fabric->ops;
    size_t bytes = average_bytes(made);
    if (!keep || bytes > SCT_SCRATCH_BYTES) {
        fabric->segment_close(made->segment);
        return;
    }
    while (scratch->count == SCT_SCRATCH_MOST || scratch->bytes + bytes > SCT_SCRATCH_BYTES)
        fabric->segment_close(take_out(scratch, 0));
    scratch->kept[scratch->count++] = (sct_scratch_kept){.segment = made->segment,
                                                         .alike = made->alike,
                                                         .type = made->type,
                                                         .slice = made->slice,
                                                         .bytes = bytes};
    scratch->bytes += bytes;
}

void sct_scratch_clear(const sct_exec_context *context) {
    while (context->scratch->count > 0)
        context->fabric->ops->segment_close(take_out(context->scratch, 0));
}

/* ---- Copies that devices can use ---- */

sct_status sct_device_copy_open(const sct_exec_context *context, const sct_bound *given,
                                sct_bound *copy) {
    *copy = *given;
    return given->needs_copy ? sct_scratch_open(context, given, given->type, copy) : SCT_OK;
}

sct_status sct_device_copy_load(const sct_exec_context *context, const sct_bound *given,
                                const sct_bound *copy, sct_stream *stream) {
    return given->needs_copy ? sct_bound_move(context, given, copy, stream) : SCT_OK;
}

sct_status sct_device_copy_store(const sct_exec_context *context, const sct_bound *copy,
                                 const sct_bound *given, sct_stream *stream) {
    return given->needs_copy ? sct_bound_move(context, copy, given, stream) : SCT_OK;
}

void sct_device_copy_close(const sct_exec_context *context, const sct_bound *given,
                           const sct_bound *copy, bool keep) {
    if (given->needs_copy)
        sct_scratch_close(context, copy, keep);
}
