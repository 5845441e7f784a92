/* transfers.c - gets and accumulates as commands of streams.
 *
 * Additions to the blocks of a rank form a chain: each is submitted with the lock of the chain
 * held, and follows the one before. So they exclude each other, whichever devices run them, and the
 * host does not wait. */
#include "fabric/devices/rank.h"

#include "fabric/transfer.h"

#include <assert.h>
#include <sched.h>

enum { SCRATCH_BYTES = 1 << 18 };

static const sct_memory *block_of(const sct_devices *self, const sct_target *target) {
    assert(target->block >= 0 && target->block < target->segment->peers[target->rank]->count);
    return &self->upper.ranks->ops->peer(target->segment->placed, target->rank)[target->block];
}

/* ---- Order ---- */

static bool any_failed(const sct_devices_turn *turns, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (turns[r].status)
            return true;
    return false;
}

/* The stream of the fabric collects the events of all ranks, also of earlier calls. */
sct_status sct_devices_order(sct_fabric *fabric, sct_status status, sct_stream *stream) {
    sct_devices *self = sct_devices_of(fabric);
    const sct_device_ops *ops = self->upper.device->ops;
    sct_devices_turn mine = {.status = status};
    if (!status)
        mine.event = ops->record(stream);
    sct_status met =
        self->upper.ranks->ops->exchange(self->upper.ranks, &mine, sizeof mine, self->turns);
    if (met || any_failed(self->turns, fabric->size))
        return met ? met : sct_fabric_agree(self->upper.ranks, status);
    for (int r = 0; r < fabric->size && !status; r++)
        status = ops->follow(self->upper.stream, self->turns[r].event);
    sct_device_hold(self->upper.device, ops->record(self->upper.stream));
    return sct_fabric_agree(self->upper.ranks, status);
}

/* ---- Gets ---- */

sct_status sct_devices_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                           size_t pitch, sct_event *reached) {
    const sct_devices *self = sct_devices_of(fabric);
    bool usable = from->segment->peers[from->rank]->usable;
    return sct_upper_get(&self->upper, stream, block_of(self, from), usable, from, to, pitch,
                         reached);
}

/* ---- Accumulates ---- */

/* Moves a rectangle of the size of a transfer. */
static sct_status move(sct_devices *self, sct_stream *stream, const sct_transfer *t,
                       const void *from, size_t from_pitch, void *to, size_t to_pitch) {
    return sct_device_move(self->upper.device, stream, t->lines, t->width, from, from_pitch, to,
                           to_pitch);
}

static sct_status add(sct_devices *self, sct_stream *stream, const sct_transfer *a, bool atomic) {
    size_t bytes = sct_type_bytes(a->type);
    sct_command command = {.work = SCT_DO_ADD,
                           .type = a->type,
                           .strided = {.lines = a->lines,
                                       .count = (int64_t)(a->width / bytes),
                                       .from = a->from,
                                       .from_ld = (int64_t)(a->from_pitch / bytes),
                                       .to = a->to,
                                       .to_ld = (int64_t)(a->to_pitch / bytes),
                                       .atomic = atomic}};
    return self->upper.device->ops->submit(stream, &command);
}

static bool can_use(const sct_devices *self, const void *memory) {
    return self->upper.device->ops->can_use(self->upper.device, memory);
}

/* Adds by way of the scratch buffers what the device cannot use: moved in before, and back after.
 */
static sct_status add_by_scratch(sct_devices *self, sct_stream *stream, const sct_transfer *a) {
    sct_transfer inner = *a;
    sct_status status = SCT_OK;
    if (!can_use(self, a->from)) {
        inner.from = self->scratch[0];
        inner.from_pitch = a->width;
        status = move(self, stream, a, a->from, a->from_pitch, self->scratch[0], a->width);
    }
    bool back = !can_use(self, a->to);
    if (back && !status) {
        inner.to = self->scratch[1];
        inner.to_pitch = a->width;
        status = move(self, stream, a, a->to, a->to_pitch, inner.to, a->width);
    }
    if (!status)
        status = add(self, stream, &inner, self->upper.device->atomic_adds && !back);
    if (back && !status)
        status = move(self, stream, a, inner.to, a->width, a->to, a->to_pitch);
    return status;
}

/* The same, in pieces that fit into the buffers. */
static sct_status add_in_pieces(sct_devices *self, sct_stream *stream, const sct_transfer *a) {
    sct_split cut = sct_split_make(a->lines, a->width, SCRATCH_BYTES, SCT_SPLIT_GRAIN);
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_SCRATCHES; i++)
        if (!self->scratch[i] &&
            !(self->scratch[i] = self->upper.device->ops->alloc(self->upper.device, SCRATCH_BYTES)))
            return sct_no_memory("a buffer on the device");
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        sct_transfer part = sct_transfer_part(a, &piece);
        status = add_by_scratch(self, stream, &part);
    }
    return status;
}

typedef sct_status submit_addition(sct_devices *self, sct_stream *stream, const sct_transfer *a);

static sct_status add_in_place(sct_devices *self, sct_stream *stream, const sct_transfer *a) {
    return add(self, stream, a, false);
}

/* Submits the addition so that it excludes all others to these blocks. Ranks take turns, as far as
 * they share cores: the first additions of one would otherwise follow the last of another. */
static sct_status chain(sct_devices *self, sct_stream *stream, sct_last_addition *last,
                        submit_addition *submit, const sct_transfer *a) {
    const sct_device_ops *ops = self->upper.device->ops;
    pthread_mutex_lock(&last->lock);
    sct_status status = ops->follow(stream, last->last);
    if (!status)
        status = submit(self, stream, a);
    last->last = ops->record(stream);
    pthread_mutex_unlock(&last->lock);
    sched_yield();
    return status;
}

sct_status sct_devices_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                  const void *from, size_t pitch, const sct_target *to,
                                  sct_event *reached) {
    sct_devices *self = sct_devices_of(fabric);
    sct_transfer a = sct_transfer_accumulate(block_of(self, to), NULL, &to->part, type, from, pitch,
                                             fabric->rank);
    assert(pitch % sct_type_bytes(type) == 0 && a.to_pitch % sct_type_bytes(type) == 0);
    assert(to->part.width % sct_type_bytes(type) == 0);
    sct_segment *owner = to->segment->peers[to->rank];
    bool in_place = owner->usable && (stream || can_use(self, a.from));
    /* the buffers belong to the fabric's own stream */
    sct_stream *on = stream && in_place ? stream : self->upper.stream;
    sct_status status = SCT_OK;
    if (stream && on != stream)
        status = self->upper.device->ops->follow(on, self->upper.device->ops->record(stream));
    if (!status)
        status = self->upper.device->atomic_adds && in_place
                     ? add(self, on, &a, true)
                     : chain(self, on, &owner->chain, in_place ? add_in_place : add_in_pieces, &a);
    if (!status)
        *reached = sct_upper_reached(&self->upper, stream, on);
    return status;
}
