/* transfers.c - gets and accumulates: within the rank, and of ranks whose memory it has attached,
 * by commands of its device; all others by the processes. */
#include "fabric/device_processes/rank.h"

static sct_target placed(const sct_target *target) {
    sct_target same = *target;
    same.segment = target->segment->placed;
    return same;
}

static const sct_device_process_access *access_of(const sct_target *target) {
    return &target->segment->access[target->rank];
}

static const sct_memory *block_of(const sct_target *target) {
    return &access_of(target)->blocks[target->block];
}

sct_status sct_device_process_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                                  void *to, size_t pitch, sct_event *reached) {
    sct_device_process *self = sct_device_process_of(fabric);
    const sct_device_process_access *access = access_of(from);
    sct_target there = placed(from);
    /* a copy needs one side that the device can use */
    if (!access->blocks || !(access->usable || sct_bounce_can_use(&self->bounce, to)))
        return sct_fabric_get(self->upper.ranks, stream, &there, to, pitch, reached);
    return sct_upper_get(&self->upper, stream, block_of(from), access->usable, from, to, pitch,
                         reached);
}

/* Where additions are not atomic, they run one after another, also those of the service. */
sct_status sct_device_process_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                         const void *from, size_t pitch, const sct_target *to,
                                         sct_event *reached) {
    sct_device_process *self = sct_device_process_of(fabric);
    sct_stream *on = stream ? stream : self->upper.stream;
    sct_target there = placed(to);
    if (!access_of(to)->usable || !sct_bounce_can_use(&self->bounce, from))
        return sct_fabric_accumulate(self->upper.ranks, stream, type, from, pitch, &there, reached);
    sct_transfer whole =
        sct_transfer_accumulate(block_of(to), NULL, &to->part, type, from, pitch, fabric->rank);
    if (!self->bounce.device->atomic_adds)
        return sct_bounce_add_after(&self->bounce, self->bounce.device->ops->record(on), &whole,
                                    reached);
    sct_status status = sct_bounce_add(&self->bounce, on, &whole);
    if (!status)
        *reached = sct_upper_reached(&self->upper, stream, on);
    return status;
}
