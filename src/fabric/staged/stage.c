/* stage.c - transfers between memory of the host and of a device, as commands of streams. */
#include "fabric/staged/stage.h"

/* ---- What was started: an event of one of the streams ---- */

static sct_staged record(const sct_device_stage *stage, int stream) {
    sct_event event = stage->device->ops->record(stage->stream[stream]);
    return event.ticket * SCT_STAGE_STREAMS + (sct_staged)stream;
}

static sct_event event_of(const sct_device_stage *stage, sct_staged staged) {
    return (sct_event){stage->stream[staged % SCT_STAGE_STREAMS], staged / SCT_STAGE_STREAMS};
}

bool sct_stage_done(sct_device_stage *stage, sct_staged staged) {
    return stage->device->ops->done(event_of(stage, staged));
}

sct_status sct_stage_wait(sct_device_stage *stage, sct_staged staged) {
    return sct_device_wait(stage->device, event_of(stage, staged));
}

/* ---- Transfers, with the lock held ---- */

static sct_status move(const sct_device_stage *stage, int stream, const sct_transfer *t) {
    return sct_device_submit_move(stage->device, stage->stream[stream], t->lines, t->width, t->from,
                                  t->from_pitch, t->to, t->to_pitch);
}

sct_status sct_stage_add(const sct_device_stage *stage, sct_stream *stream, const sct_transfer *t) {
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

static sct_status add(const sct_device_stage *stage, const sct_transfer *t) {
    return sct_stage_add(stage, stage->stream[SCT_STAGE_ADD], t);
}

/* Moves a piece to the next buffer, and adds it from there. */
static sct_status add_by_buffer(sct_device_stage *stage, const sct_transfer *t) {
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

static sct_status start(sct_device_stage *stage, const sct_transfer *t, sct_staged *staged) {
    bool from = sct_stage_can_use(stage, t->from), to = sct_stage_can_use(stage, t->to);
    int stream = t->bands ? SCT_STAGE_ADD : to ? SCT_STAGE_IN : SCT_STAGE_OUT;
    sct_status status = !t->bands ? move(stage, stream, t)
                        : from    ? add(stage, t)
                                  : add_by_buffer(stage, t);
    *staged = record(stage, stream);
    return status;
}

/* Whether only the device can read this memory: its own, or an outbox on any host. */
static bool can_read(const sct_device_stage *stage, const void *memory) {
    return sct_stage_can_use(stage, memory) || sct_stage_in_outbox(stage, memory);
}

sct_status sct_stage_start(sct_device_stage *stage, const sct_transfer *transfer,
                           sct_staged *staged) {
    *staged = 0;
    if (!sct_stage_can_use(stage, transfer->to) &&
        (transfer->bands || !can_read(stage, transfer->from))) {
        sct_transfer_run(transfer);
        return SCT_OK;
    }
    pthread_mutex_lock(&stage->lock);
    sct_status status = start(stage, transfer, staged);
    pthread_mutex_unlock(&stage->lock);
    return status;
}

/* ---- As the service sees it ---- */

static sct_device_stage *stage_of(sct_stage *stage) {
    return (sct_device_stage *)stage;
}

static void *stage_alloc(sct_stage *stage, size_t bytes) {
    sct_device *device = stage_of(stage)->device;
    return device->ops->alloc_host(device, bytes);
}

static void stage_release(sct_stage *stage, void *memory) {
    sct_device *device = stage_of(stage)->device;
    device->ops->release_host(device, memory);
}

static bool stage_is_apart(sct_stage *stage, const void *memory) {
    return sct_stage_can_use(stage_of(stage), memory);
}

static char *stage_outbox(sct_stage *base, int rank) {
    const sct_device_stage *stage = stage_of(base);
    return stage->outbox ? stage->outbox[rank] : NULL;
}

static sct_status stage_start(sct_stage *stage, const sct_transfer *transfer, sct_staged *staged) {
    return sct_stage_start(stage_of(stage), transfer, staged);
}

/* Waiting for what has run tells whether it failed. The device does not count this, since the host
 * does not wait. */
static sct_status stage_test(sct_stage *base, sct_staged staged, bool *done) {
    sct_device_stage *stage = stage_of(base);
    *done = sct_stage_done(stage, staged);
    return *done ? stage->device->ops->wait(event_of(stage, staged)) : SCT_OK;
}

static void stage_drain(sct_stage *base) {
    sct_device_stage *stage = stage_of(base);
    pthread_mutex_lock(&stage->lock);
    for (int i = 0; i < SCT_STAGE_STREAMS; i++)
        sct_device_drain(stage->device, stage->stream[i]);
    pthread_mutex_unlock(&stage->lock);
}

sct_status sct_stage_open(sct_device_stage *stage, sct_device *device) {
    static const sct_stage_ops ops = {.alloc = stage_alloc,
                                      .release = stage_release,
                                      .is_apart = stage_is_apart,
                                      .outbox = stage_outbox,
                                      .start = stage_start,
                                      .test = stage_test,
                                      .drain = stage_drain};
    *stage =
        (sct_device_stage){.base = {&ops}, .device = device, .lock = PTHREAD_MUTEX_INITIALIZER};
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_STAGE_STREAMS && !status; i++)
        status = device->ops->stream_open(device, &stage->stream[i]);
    for (int i = 0; i < SCT_STAGE_BUFFERS && !status; i++)
        if (!(stage->buffer[i] = device->ops->alloc(device, SCT_PIECE_MOST_BYTES)))
            status = sct_no_memory("a buffer on the device");
    return status;
}

void sct_stage_close(sct_device_stage *stage) {
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
