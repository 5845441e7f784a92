/* stage.c - transfers between memory of the host and of a device, as commands of streams. */
#include "fabric/stage/stage.h"

/* ---- Transfers, with the lock held ---- */

static sct_status move(const sct_stage *stage, int stream, const sct_transfer *t) {
    return sct_device_submit_move(stage->device, stage->stream[stream], t->lines, t->width, t->from,
                                  t->from_pitch, t->to, t->to_pitch);
}

sct_status sct_stage_add(const sct_stage *stage, sct_stream *stream, const sct_transfer *t) {
    size_t bytes = sct_type_bytes(t->type);
    sct_command command = {.work = SCT_DO_ADD,
                           .type = t->type,
                           .strided = {.lines = t->lines,
                                       .count = (int64_t)(t->width / bytes),
                                       .from = t->from,
                                       .from_ld = (int64_t)(t->from_pitch / bytes),
                                       .to = t->to,
                                       .to_ld = (int64_t)(t->to_pitch / bytes),
                                       .atomic = stage->device->atomic_adds}};
    return stage->device->ops->submit(stream, &command);
}

static sct_status add(const sct_stage *stage, const sct_transfer *t) {
    return sct_stage_add(stage, stage->stream[SCT_STAGE_ADD], t);
}

/* Moves a piece to the next buffer, and adds it from there. */
static sct_status add_by_buffer(sct_stage *stage, const sct_transfer *t) {
    const sct_device_ops *ops = stage->device->ops;
    int at = stage->next;
    stage->next = (at + 1) % SCT_STAGE_BUFFERS;
    sct_transfer bring = *t, inner = *t;
    bring.to = stage->buffer[at];
    inner.from = stage->buffer[at];
    bring.to_pitch = inner.from_pitch = t->width;
    sct_status status = ops->follow(stage->stream[SCT_STAGE_BRING], stage->emptied[at]);
    if (!status)
        status = move(stage, SCT_STAGE_BRING, &bring);
    if (!status)
        status =
            ops->follow(stage->stream[SCT_STAGE_ADD], ops->record(stage->stream[SCT_STAGE_BRING]));
    if (!status)
        status = add(stage, &inner);
    stage->emptied[at] = ops->record(stage->stream[SCT_STAGE_ADD]);
    return status;
}

static sct_status start(sct_stage *stage, const sct_transfer *t, sct_event *reached) {
    bool from = sct_stage_can_use(stage, t->from), to = sct_stage_can_use(stage, t->to);
    int stream = t->bands ? SCT_STAGE_ADD : to ? SCT_STAGE_IN : SCT_STAGE_OUT;
    sct_status status = !t->bands ? move(stage, stream, t)
                        : from    ? add(stage, t)
                                  : add_by_buffer(stage, t);
    *reached = stage->device->ops->record(stage->stream[stream]);
    return status;
}

/* Whether only the device can read this memory: its own, or an outbox on any host. */
static bool can_read(const sct_stage *stage, const void *memory) {
    return sct_stage_can_use(stage, memory) || sct_stage_in_outbox(stage, memory);
}

sct_status sct_stage_start(sct_stage *stage, const sct_transfer *transfer, sct_event *reached) {
    *reached = (sct_event){.ops = NULL};
    if (!sct_stage_can_use(stage, transfer->to) &&
        (transfer->bands || !can_read(stage, transfer->from))) {
        sct_transfer_run(transfer);
        return SCT_OK;
    }
    pthread_mutex_lock(&stage->lock);
    sct_status status = start(stage, transfer, reached);
    pthread_mutex_unlock(&stage->lock);
    return status;
}

sct_status sct_stage_add_after(sct_stage *stage, sct_event after, const sct_transfer *addition,
                               sct_event *reached) {
    sct_stream *stream = stage->stream[SCT_STAGE_ADD];
    pthread_mutex_lock(&stage->lock);
    sct_status status = stage->device->ops->follow(stream, after);
    if (!status)
        status = add(stage, addition);
    *reached = stage->device->ops->record(stream);
    pthread_mutex_unlock(&stage->lock);
    return status;
}

void sct_stage_drain(sct_stage *stage) {
    pthread_mutex_lock(&stage->lock);
    for (int i = 0; i < SCT_STAGE_STREAMS; i++)
        sct_device_drain(stage->device, stage->stream[i]);
    pthread_mutex_unlock(&stage->lock);
}

sct_status sct_stage_open(sct_stage *stage, sct_device *device) {
    *stage = (sct_stage){.device = device, .lock = PTHREAD_MUTEX_INITIALIZER};
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_STAGE_STREAMS && !status; i++)
        status = device->ops->stream_open(device, &stage->stream[i]);
    for (int i = 0; i < SCT_STAGE_BUFFERS && !status; i++)
        if (!(stage->buffer[i] = device->ops->alloc(device, SCT_PIECE_MOST_BYTES)))
            status = sct_no_memory("a buffer on the device");
    return status;
}

void sct_stage_close(sct_stage *stage) {
    const sct_device_ops *ops = stage->device->ops;
    for (int i = 0; i < SCT_STAGE_STREAMS; i++)
        if (stage->stream[i])
            ops->stream_close(stage->stream[i]);
    for (int i = 0; i < SCT_STAGE_BUFFERS; i++)
        if (stage->buffer[i])
            ops->release(stage->device, stage->buffer[i]);
    sct_stage_close_outboxes(stage);
    pthread_mutex_destroy(&stage->lock);
}
