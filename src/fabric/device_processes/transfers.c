/* transfers.c - gets and accumulates: within the rank, and of ranks whose memory it has attached,
 * by commands of its device; of other ranks by the processes. */
#include "fabric/device_processes/rank.h"

static sct_target placed(const sct_target *target) {
    sct_target same = *target;
    same.segment = target->segment->placed;
    return same;
}

/* ---- By the device of this rank ---- */

static const sct_device_process_access *access_of(const sct_target *target) {
    return &target->segment->access[target->rank];
}

static const sct_memory *block_of(const sct_target *target) {
    return &access_of(target)->blocks[target->block];
}

/* Whether the device can copy from there to memory which may be the host's. A copy needs one side
 * that it can use. */
static bool can_get(const sct_device_process *self, const sct_target *from, const void *to) {
    const sct_device_process_access *access = access_of(from);
    return access->blocks && (access->usable || from->rank == self->upper.base.rank ||
                              sct_bounce_can_use(&self->bounce, to));
}

static bool can_add(const sct_device_process *self, const sct_target *to) {
    const sct_device_process_access *access = access_of(to);
    return access->blocks && (access->usable || to->rank == self->upper.base.rank);
}

/* Runs a transfer now. */
static sct_status run(sct_device_process *self, const sct_transfer *transfer) {
    sct_event reached;
    sct_status status = sct_bounce_start(&self->bounce, transfer, &reached);
    return status ? status : sct_device_wait(self->bounce.device, reached);
}

static sct_transfer addition(sct_device_process *self, sct_type type, const void *from,
                             size_t pitch, const sct_target *to) {
    return sct_transfer_accumulate(block_of(to), &self->bands, &to->part, type, from, pitch,
                                   self->upper.base.rank);
}

/* Adds a piece of memory that the device cannot use. */
static sct_status add_piece(sct_device_process *self, sct_type type, const void *from, size_t pitch,
                            const sct_target *to) {
    sct_transfer piece = addition(self, type, from, pitch, to);
    return run(self, &piece);
}

/* Adds a piece to memory that the device cannot use. */
static sct_status add_to_host(sct_device_process *self, sct_type type, const void *from,
                              size_t pitch, const sct_target *to) {
    sct_fabric *ranks = self->upper.ranks;
    sct_device *device = self->bounce.device;
    sct_target host = placed(to);
    sct_event reached;
    char *buffer = device->ops->alloc_host(device, (size_t)to->part.lines * to->part.width);
    if (!buffer)
        return sct_no_memory("a buffer");
    const sct_transfer copy = {.from = from,
                               .from_pitch = pitch,
                               .to = buffer,
                               .to_pitch = to->part.width,
                               .lines = to->part.lines,
                               .width = to->part.width};
    sct_status status = run(self, &copy);
    if (!status)
        status = sct_fabric_accumulate(ranks, NULL, type, buffer, to->part.width, &host, &reached);
    device->ops->release_host(device, buffer);
    return status;
}

typedef sct_status add_part(sct_device_process *self, sct_type type, const void *from, size_t pitch,
                            const sct_target *to);

static sct_status in_pieces(sct_device_process *self, add_part *add, sct_type type,
                            const char *from, size_t pitch, const sct_target *to) {
    sct_split cut =
        sct_split_make(to->part.lines, to->part.width, SCT_PIECE_MOST_BYTES, SCT_SPLIT_GRAIN);
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_target there = *to;
        there.part = sct_rectangle_inside(&to->part, &piece);
        status = add(self, type, from + sct_rectangle_offset(&piece, pitch), pitch, &there);
    }
    return status;
}

/* Memory of the host is added, or added to, while the host waits. Additions that are not atomic
 * follow each other, also those that the service makes. */
static sct_status add(sct_device_process *self, sct_stream *stream, sct_type type, const void *from,
                      size_t pitch, const sct_target *to, sct_event *reached) {
    sct_stream *on = stream ? stream : self->upper.stream;
    add_part *by_host = !access_of(to)->usable                     ? add_to_host
                        : !sct_bounce_can_use(&self->bounce, from) ? add_piece
                                                                   : NULL;
    sct_status status = SCT_OK;
    if (by_host) {
        status = sct_device_drain(self->bounce.device, on);
        return status ? status : in_pieces(self, by_host, type, from, pitch, to);
    }
    sct_transfer whole = addition(self, type, from, pitch, to);
    if (!self->bounce.device->atomic_adds)
        return sct_bounce_add_after(&self->bounce, self->bounce.device->ops->record(on), &whole,
                                    reached);
    status = sct_bounce_add(&self->bounce, on, &whole);
    if (!status)
        *reached = sct_upper_reached(&self->upper, stream, on);
    return status;
}

/* ---- All transfers ---- */

sct_status sct_device_process_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                                  void *to, size_t pitch, sct_event *reached) {
    sct_device_process *self = sct_device_process_of(fabric);
    sct_target there = placed(from);
    if (!can_get(self, from, to))
        return sct_fabric_get(self->upper.ranks, stream, &there, to, pitch, reached);
    return sct_upper_get(&self->upper, stream, block_of(from), access_of(from)->usable, from, to,
                         pitch, reached);
}

sct_status sct_device_process_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                         const void *from, size_t pitch, const sct_target *to,
                                         sct_event *reached) {
    sct_device_process *self = sct_device_process_of(fabric);
    sct_target there = placed(to);
    return can_add(self, to) ? add(self, stream, type, from, pitch, to, reached)
                             : sct_fabric_accumulate(self->upper.ranks, stream, type, from, pitch,
                                                     &there, reached);
}
