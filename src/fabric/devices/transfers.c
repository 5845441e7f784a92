/* transfers.c - gets and accumulates as commands of streams.
 *
 * Additions to the blocks of a rank form a chain: each is submitted with the lock of the chain
 * held, and follows the one before. So they exclude each other, whichever devices run them, and the
 * host does not wait. */
#include "fabric/devices/rank.h"

#include "base/checked.h"

#include <assert.h>
#include <sched.h>

enum { SCRATCH_BYTES = 1 << 18 };

/* ---- Rectangles ---- */

/* A strided rectangle of bytes. */
typedef struct bytes_at {
    char *base;
    size_t pitch;
} bytes_at;

static const sct_memory *block_of(const sct_devices *self, const sct_target *target) {
    assert(target->block >= 0 && target->block < target->segment->peers[target->rank]->count);
    return &self->upper.ranks->ops->peer(target->segment->placed, target->rank)[target->block];
}

static bytes_at find(const sct_devices *self, const sct_target *target) {
    const sct_memory *block = block_of(self, target);
    assert(target->line >= 0 && target->lines <= block->lines - target->line);
    assert(target->byte <= block->width && target->width <= block->width - target->byte);
    return (bytes_at){block->base + (size_t)target->line * block->pitch + target->byte,
                      block->pitch};
}

/* What is left to wait for when a transfer for one stream was submitted to another. */
static sct_event event_of(const sct_devices *self, const sct_stream *stream,
                          sct_stream *submitted) {
    const sct_event reached = {.ops = NULL};
    return stream == submitted ? reached : self->device->ops->record(submitted);
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
    const sct_device_ops *ops = self->device->ops;
    sct_devices_turn mine = {.status = status};
    if (!status)
        mine.event = ops->record(stream);
    sct_status met =
        self->upper.ranks->ops->exchange(self->upper.ranks, &mine, sizeof mine, self->turns);
    if (met || any_failed(self->turns, fabric->size))
        return met ? met : sct_fabric_agree(self->upper.ranks, status);
    for (int r = 0; r < fabric->size && !status; r++)
        status = ops->follow(self->stream, self->turns[r].event);
    sct_device_hold(self->device, ops->record(self->stream));
    return sct_fabric_agree(self->upper.ranks, status);
}

/* ---- Gets ---- */

static sct_status move(sct_devices *self, sct_stream *stream, int64_t lines, size_t width,
                       bytes_at from, bytes_at to) {
    return sct_device_move(self->device, stream, lines, width, from.base, from.pitch, to.base,
                           to.pitch);
}

/* Where one side is known to be memory of a device, the move need not ask. */
sct_status sct_devices_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                           size_t pitch, sct_event *reached) {
    sct_devices *self = sct_devices_of(fabric);
    bytes_at there = find(self, from);
    bool usable = from->segment->peers[from->rank]->usable;
    sct_stream *on = stream ? stream : self->stream;
    sct_status status = (usable ? sct_device_submit_move : sct_device_move)(
        self->device, on, from->lines, from->width, there.base, there.pitch, to, pitch);
    if (!status)
        *reached = event_of(self, stream, on);
    return status;
}

/* ---- Accumulates ---- */

/* An addition of a rectangle to part of a block. */
typedef struct addition {
    sct_type type;
    int64_t lines;
    size_t width;
    bytes_at from, to;
} addition;

static sct_status add(sct_devices *self, sct_stream *stream, const addition *a, bool atomic) {
    size_t bytes = sct_type_bytes(a->type);
    sct_command command = {.work = SCT_DO_ADD,
                           .type = a->type,
                           .strided = {.lines = a->lines,
                                       .count = (int64_t)(a->width / bytes),
                                       .from = a->from.base,
                                       .from_ld = (int64_t)(a->from.pitch / bytes),
                                       .to = a->to.base,
                                       .to_ld = (int64_t)(a->to.pitch / bytes),
                                       .atomic = atomic}};
    return self->device->ops->submit(stream, &command);
}

static bool can_use(const sct_devices *self, bytes_at memory) {
    return self->device->ops->can_use(self->device, memory.base);
}

/* Adds by way of the scratch buffers what the device cannot use: moved in before, and back after.
 */
static sct_status add_by_scratch(sct_devices *self, sct_stream *stream, const addition *a) {
    addition inner = *a;
    sct_status status = SCT_OK;
    if (!can_use(self, a->from)) {
        inner.from = (bytes_at){self->scratch[0], a->width};
        status = move(self, stream, a->lines, a->width, a->from, inner.from);
    }
    bool back = !can_use(self, a->to);
    if (back && !status) {
        inner.to = (bytes_at){self->scratch[1], a->width};
        status = move(self, stream, a->lines, a->width, a->to, inner.to);
    }
    if (!status)
        status = add(self, stream, &inner, self->device->atomic_adds && !back);
    if (back && !status)
        status = move(self, stream, a->lines, a->width, inner.to, a->to);
    return status;
}

static addition part_of(const addition *a, int64_t line, size_t byte, int64_t lines, size_t width) {
    addition part = *a;
    part.lines = sct_min(lines, a->lines - line);
    part.width = byte + width < a->width ? width : a->width - byte;
    part.from.base += (size_t)line * a->from.pitch + byte;
    part.to.base += (size_t)line * a->to.pitch + byte;
    return part;
}

/* The same, in pieces that fit into the buffers. */
static sct_status add_in_pieces(sct_devices *self, sct_stream *stream, const addition *a) {
    size_t width = a->width < SCRATCH_BYTES ? a->width : SCRATCH_BYTES;
    int64_t lines = (int64_t)(SCRATCH_BYTES / width);
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_SCRATCHES; i++)
        if (!self->scratch[i] &&
            !(self->scratch[i] = self->device->ops->alloc(self->device, SCRATCH_BYTES)))
            return sct_no_memory("a buffer on the device");
    for (int64_t line = 0; line < a->lines && !status; line += lines)
        for (size_t byte = 0; byte < a->width && !status; byte += width) {
            addition part = part_of(a, line, byte, lines, width);
            status = add_by_scratch(self, stream, &part);
        }
    return status;
}

typedef sct_status submit_addition(sct_devices *self, sct_stream *stream, const addition *a);

static sct_status add_in_place(sct_devices *self, sct_stream *stream, const addition *a) {
    return add(self, stream, a, false);
}

/* Submits the addition so that it excludes all others to these blocks. Ranks take turns, as far as
 * they share cores: the first additions of one would otherwise follow the last of another. */
static sct_status chain(sct_devices *self, sct_stream *stream, sct_last_addition *last,
                        submit_addition *submit, const addition *a) {
    const sct_device_ops *ops = self->device->ops;
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
    addition a = {type, to->lines, to->width, {(char *)from, pitch}, find(self, to)};
    assert(pitch % sct_type_bytes(type) == 0 && a.to.pitch % sct_type_bytes(type) == 0);
    assert(to->width % sct_type_bytes(type) == 0);
    sct_segment *owner = to->segment->peers[to->rank];
    bool in_place = owner->usable && (stream || can_use(self, a.from));
    sct_stream *on = stream && in_place ? stream : self->stream; /* which the buffers belong to */
    sct_status status = SCT_OK;
    if (stream && on != stream)
        status = self->device->ops->follow(on, self->device->ops->record(stream));
    if (!status)
        status = self->device->atomic_adds && in_place
                     ? add(self, on, &a, true)
                     : chain(self, on, &owner->chain, in_place ? add_in_place : add_in_pieces, &a);
    if (!status)
        *reached = event_of(self, stream, on);
    return status;
}
