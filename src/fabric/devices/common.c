/* common.c - functions of fabrics for devices that are those of the fabric below, and blocks in
 * memory of a device. */
#include "fabric/devices/common.h"

#include "fabric/dense.h"
#include "fabric/transfer.h"

#include <stdlib.h>

static sct_fabric *below(sct_fabric *fabric) {
    return ((sct_upper_fabric *)fabric)->ranks;
}

sct_status sct_upper_check(sct_fabric *fabric) {
    sct_fabric *ranks = below(fabric);
    return ranks->ops->check(ranks);
}

sct_status sct_upper_barrier(sct_fabric *fabric) {
    sct_fabric *ranks = below(fabric);
    return ranks->ops->barrier(ranks);
}

sct_status sct_upper_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    sct_fabric *ranks = below(fabric);
    return ranks->ops->exchange(ranks, mine, bytes, all);
}

sct_status sct_upper_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count) {
    sct_fabric *ranks = below(fabric);
    return ranks->ops->reduce(ranks, how, words, count);
}

sct_status sct_device_blocks(sct_device *device, int count, const sct_memory *blocks,
                             sct_memory **placed, void **memory) {
    size_t bytes;
    sct_memory *made = malloc(((size_t)count + 1) * sizeof *made);
    if (!made)
        return sct_no_memory("a segment");
    for (int i = 0; i < count; i++)
        made[i] = blocks[i];
    sct_status status = sct_dense_bytes(count, made, &bytes);
    if (!status && !(*memory = device->ops->alloc(device, bytes)))
        status = sct_fail(SCT_NO_MEMORY, "no memory for %zu bytes on the device (%s)", bytes,
                          device->ops->name);
    if (status) {
        free(made);
        return status;
    }
    sct_dense_place(count, made, *memory);
    *placed = made;
    return SCT_OK;
}

sct_event sct_upper_reached(const sct_upper_fabric *self, const sct_stream *stream,
                            sct_stream *submitted) {
    const sct_event reached = {.ops = NULL};
    return stream == submitted ? reached : self->device->ops->record(submitted);
}

sct_status sct_upper_get(const sct_upper_fabric *self, sct_stream *stream, const sct_memory *block,
                         bool usable, const sct_target *from, void *to, size_t pitch,
                         sct_event *reached) {
    sct_stream *on = stream ? stream : self->stream;
    sct_transfer t = sct_transfer_get(block, &from->part, to, pitch);
    sct_status status = (usable ? sct_device_submit_move : sct_device_move)(
        self->device, on, t.lines, t.width, t.from, t.from_pitch, t.to, t.to_pitch);
    if (!status)
        *reached = sct_upper_reached(self, stream, on);
    return status;
}
