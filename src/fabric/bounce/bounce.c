/* bounce.c - transfers between memory of the host and of a device, as commands of streams; and the
 * outboxes of all ranks. A rank copies what it adds to memory of another rank into its own outbox,
 * which is memory of its device; the device of the other rank fetches it from there. */
#include "fabric/bounce/bounce.h"

#include <stdlib.h>

/* ---- Outboxes ---- */

static sct_status make_own(sct_bounce *bounce, sct_fabric *ranks, sct_memory_handle *mine,
                           sct_memory_handle **all) {
    sct_device *device = bounce->device;
    bounce->outbox = calloc((size_t)ranks->size, sizeof *bounce->outbox);
    *all = calloc((size_t)ranks->size, sizeof **all);
    if (!bounce->outbox || !*all)
        return sct_no_memory("outboxes");
    bounce->rank = ranks->rank;
    bounce->ranks = ranks->size;
    char *own = bounce->outbox[ranks->rank] = device->ops->alloc(device, SCT_OUTBOX_BYTES);
    return own && device->ops->share(device, own, SCT_OUTBOX_BYTES, mine)
               ? SCT_OK
               : sct_no_memory("an outbox on the device");
}

static sct_status attach_others(sct_bounce *bounce, const sct_memory_handle *all) {
    sct_device *device = bounce->device;
    for (int r = 0; r < bounce->ranks; r++)
        if (r != bounce->rank && !(bounce->outbox[r] = device->ops->attach(device, &all[r])))
            return sct_fail(SCT_FAILED, "the outbox of rank %d could not be attached", r);
    return SCT_OK;
}

sct_status sct_bounce_open_outboxes(sct_bounce *bounce, sct_fabric *ranks) {
    sct_memory_handle mine = {{0}}, *all = NULL;
    if (!bounce->device->spans_hosts)
        return SCT_OK;
    sct_status status = sct_fabric_agree(ranks, make_own(bounce, ranks, &mine, &all));
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, all);
    if (!status)
        status = sct_fabric_agree(ranks, attach_others(bounce, all));
    free(all);
    return status;
}

/* Devices that span hosts keep what they share until all of them are closed, so that no rank waits
 * until the others have detached its outbox. */
static void bounce_close_outboxes(sct_bounce *bounce) {
    sct_device *device = bounce->device;
    for (int r = 0; r < bounce->ranks; r++) {
        if (!bounce->outbox[r])
            continue;
        if (r == bounce->rank)
            device->ops->release(device, bounce->outbox[r]);
        else
            device->ops->detach(device, bounce->outbox[r]);
    }
    free(bounce->outbox);
}

static bool bounce_in_outbox(const sct_bounce *bounce, const void *memory) {
    for (int r = 0; r < bounce->ranks; r++)
        if ((uintptr_t)memory - (uintptr_t)bounce->outbox[r] < SCT_OUTBOX_BYTES)
            return true;
    return false;
}

/* ---- Transfers, with the lock held ---- */

static sct_status move(const sct_bounce *bounce, int stream, const sct_transfer *t) {
    return sct_device_submit_move(bounce->device, bounce->stream[stream], t->lines, t->width,
                                  t->from, t->from_pitch, t->to, t->to_pitch);
}

sct_status sct_bounce_add(const sct_bounce *bounce, sct_stream *stream, const sct_transfer *t) {
    size_t bytes = sct_type_bytes(t->type);
    sct_command command = {.work = SCT_DO_ADD,
                           .type = t->type,
                           .strided = {.lines = t->lines,
                                       .count = (int64_t)(t->width / bytes),
                                       .from = t->from,
                                       .from_ld = (int64_t)(t->from_pitch / bytes),
                                       .to = t->to,
                                       .to_ld = (int64_t)(t->to_pitch / bytes),
                                       .atomic = bounce->device->atomic_adds}};
    return bounce->device->ops->submit(stream, &command);
}

static sct_status add(const sct_bounce *bounce, const sct_transfer *t) {
    return sct_bounce_add(bounce, bounce->stream[SCT_BOUNCE_ADD], t);
}

/* Moves a piece to the next buffer, and adds it from there. */
static sct_status add_by_buffer(sct_bounce *bounce, const sct_transfer *t) {
    const sct_device_ops *ops = bounce->device->ops;
    int at = bounce->next;
    bounce->next = (at + 1) % SCT_BOUNCE_BUFFERS;
    sct_transfer bring = *t, inner = *t;
    bring.to = bounce->buffer[at];
    inner.from = bounce->buffer[at];
    bring.to_pitch = inner.from_pitch = t->width;
    sct_status status = ops->follow(bounce->stream[SCT_BOUNCE_BRING], bounce->emptied[at]);
    if (!status)
        status = move(bounce, SCT_BOUNCE_BRING, &bring);
    if (!status)
        status = ops->follow(bounce->stream[SCT_BOUNCE_ADD],
                             ops->record(bounce->stream[SCT_BOUNCE_BRING]));
    if (!status)
        status = add(bounce, &inner);
    bounce->emptied[at] = ops->record(bounce->stream[SCT_BOUNCE_ADD]);
    return status;
}

static sct_status start(sct_bounce *bounce, const sct_transfer *t, sct_event *reached) {
    bool from = sct_bounce_can_use(bounce, t->from), to = sct_bounce_can_use(bounce, t->to);
    int stream = t->bands ? SCT_BOUNCE_ADD : to ? SCT_BOUNCE_IN : SCT_BOUNCE_OUT;
    sct_status status = !t->bands ? move(bounce, stream, t)
                        : from    ? add(bounce, t)
                                  : add_by_buffer(bounce, t);
    *reached = bounce->device->ops->record(bounce->stream[stream]);
    return status;
}

/* Whether only the device can read this memory: its own, or an outbox on any host. */
static bool can_read(const sct_bounce *bounce, const void *memory) {
    return sct_bounce_can_use(bounce, memory) || bounce_in_outbox(bounce, memory);
}

sct_status sct_bounce_start(sct_bounce *bounce, const sct_transfer *transfer, sct_event *reached) {
    *reached = (sct_event){.ops = NULL};
    if (!sct_bounce_can_use(bounce, transfer->to) &&
        (transfer->bands || !can_read(bounce, transfer->from))) {
        sct_transfer_run(transfer);
        return SCT_OK;
    }
    pthread_mutex_lock(&bounce->lock);
    sct_status status = start(bounce, transfer, reached);
    pthread_mutex_unlock(&bounce->lock);
    return status;
}

sct_status sct_bounce_add_after(sct_bounce *bounce, sct_event after, const sct_transfer *addition,
                                sct_event *reached) {
    sct_stream *stream = bounce->stream[SCT_BOUNCE_ADD];
    pthread_mutex_lock(&bounce->lock);
    sct_status status = bounce->device->ops->follow(stream, after);
    if (!status)
        status = add(bounce, addition);
    *reached = bounce->device->ops->record(stream);
    pthread_mutex_unlock(&bounce->lock);
    return status;
}

void sct_bounce_drain(sct_bounce *bounce) {
    pthread_mutex_lock(&bounce->lock);
    for (int i = 0; i < SCT_BOUNCE_STREAMS; i++)
        sct_device_drain(bounce->device, bounce->stream[i]);
    pthread_mutex_unlock(&bounce->lock);
}

sct_status sct_bounce_open(sct_bounce *bounce, sct_device *device) {
    *bounce = (sct_bounce){.device = device, .lock = PTHREAD_MUTEX_INITIALIZER};
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_BOUNCE_STREAMS && !status; i++)
        status = device->ops->stream_open(device, &bounce->stream[i]);
    for (int i = 0; i < SCT_BOUNCE_BUFFERS && !status; i++)
        if (!(bounce->buffer[i] = device->ops->alloc(device, SCT_PIECE_MOST_BYTES)))
            status = sct_no_memory("a buffer on the device");
    return status;
}

void sct_bounce_close(sct_bounce *bounce) {
    const sct_device_ops *ops = bounce->device->ops;
    for (int i = 0; i < SCT_BOUNCE_STREAMS; i++)
        if (bounce->stream[i])
            ops->stream_close(bounce->stream[i]);
    for (int i = 0; i < SCT_BOUNCE_BUFFERS; i++)
        if (bounce->buffer[i])
            ops->release(bounce->device, bounce->buffer[i]);
    bounce_close_outboxes(bounce);
    pthread_mutex_destroy(&bounce->lock);
}
