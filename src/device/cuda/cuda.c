/* cuda.c - the device: memory, streams, and events. */
#include "device/cuda/cuda.h"

#include "base/clock.h"
#include "device/cuda/symmetric.h"

#include <stdio.h>
#include <stdlib.h>

static sct_cuda_device *device_of(sct_device *device) {
    return (sct_cuda_device *)device;
}

/* ---- Memory ---- */

static void *cuda_alloc(sct_device *device, size_t bytes) {
    sct_cuda_device *self = device_of(device);
    return cudaSetDevice(self->gpu->id) ? NULL : sct_cuda_slabs_alloc(&self->slabs, bytes);
}

static void cuda_release(sct_device *device, void *memory) {
    sct_cuda_slabs_release(&device_of(device)->slabs, memory);
}

static void *cuda_alloc_host(sct_device *device, size_t bytes) {
    void *memory = NULL;
    if (cudaSetDevice(device_of(device)->gpu->id) ||
        cudaHostAlloc(&memory, bytes ? bytes : 1, cudaHostAllocPortable)) {
        cudaGetLastError();
        return NULL;
    }
    return memory;
}

static void cuda_release_host(sct_device *device, void *memory) {
    (void)device;
    cudaFreeHost(memory);
}

/* Where GPUs have no access to each other, moves and atomic additions still find a way. If CUDA
 * does not answer, neither will it run the commands, which then say why. */
static bool cuda_can_use(sct_device *device, const void *memory) {
    const sct_cuda_device *self = device_of(device);
    sct_cuda_gpu *gpu;
    return sct_cuda_find_owner(self, memory, &gpu) || gpu;
}

/* ---- Streams ---- */

static sct_stream *idle_or_new(sct_cuda_device *device) {
    sct_stream *stream = sct_idle_take(&device->idle);
    if (!stream && (stream = calloc(1, sizeof *stream))) {
        stream->device = device;
        pthread_mutex_init(&stream->lock, NULL);
    }
    return stream;
}

static sct_status cuda_stream_open(sct_device *device, sct_stream **stream) {
    sct_cuda_device *self = device_of(device);
    sct_stream *made = idle_or_new(self);
    if (!made)
        return sct_no_memory("a stream");
    cudaError_t error = cudaSetDevice(self->gpu->id);
    if (!error && !made->stream)
        error = cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking);
    if (error) {
        made->stream = NULL;
        sct_idle_put(&self->idle, &made->idle);
        return sct_cuda_check(error, "make a stream");
    }
    *stream = made;
    return SCT_OK;
}

static void cuda_stream_close(sct_stream *stream) {
    cudaStreamSynchronize(stream->stream);
    sct_idle_put(&stream->device->idle, &stream->idle);
}

static void free_stream(sct_stream *stream) {
    sct_cuda_gemm_clear(stream);
    for (int i = 0; i < SCT_CUDA_EVENTS; i++)
        if (stream->event[i])
            cudaEventDestroy(stream->event[i]);
    if (stream->stream)
        cudaStreamDestroy(stream->stream);
    if (stream->buffer)
        sct_cuda_slabs_release(&stream->device->slabs, stream->buffer);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static void cuda_close(sct_device *device) {
    sct_cuda_device *self = device_of(device);
    cudaSetDevice(self->gpu->id);
    for (sct_stream *stream; (stream = sct_idle_take(&self->idle));)
        free_stream(stream);
    pthread_mutex_destroy(&self->idle.lock);
    sct_cuda_slabs_clear(&self->slabs);
    sct_cuda_symmetric_close(self->symmetric);
    if (self->user)
        cudaEventDestroy(self->user);
    sct_device_group_leave(&self->context->group, 1);
    free(self);
}

/* ---- Events ---- */

/* With the stream locked. Events are made when they are first needed, and then recorded again. */
static void mark(sct_stream *stream) {
    enum { FLAGS = cudaEventDisableTiming | cudaEventBlockingSync };
    cudaEvent_t *event = &stream->event[(stream->tickets + 1) % SCT_CUDA_EVENTS];
    cudaError_t error = *event ? cudaSuccess : cudaSetDevice(stream->device->gpu->id);
    if (!error && !*event)
        error = cudaEventCreateWithFlags(event, FLAGS);
    if (!error)
        error = cudaEventRecord(*event, stream->stream);
    if (!error) {
        stream->tickets++;
        stream->marked = true;
    } else {
        stream->failure = error;
    }
}

/* With the stream of the event locked: its event, or the oldest after it that is kept; NULL:
 * nothing was submitted before it. */
static cudaEvent_t find(sct_event event) {
    const sct_stream *stream = event.of;
    uint64_t number = sct_kept_ticket(event.number, stream->tickets, SCT_CUDA_EVENTS);
    return event.number ? stream->event[number % SCT_CUDA_EVENTS] : NULL;
}

static bool cuda_done(sct_event event) {
    sct_stream *stream = event.of;
    pthread_mutex_lock(&stream->lock);
    cudaEvent_t found = find(event);
    bool done = !found || cudaEventQuery(found) != cudaErrorNotReady;
    pthread_mutex_unlock(&stream->lock);
    if (!done)
        cudaGetLastError(); /* so that the user does not take this for an error */
    return done;
}

/* The stream is not locked while the host waits. If the event is recorded again meanwhile, that may
 * take longer, but not for ever. Where it cannot wait for the event it waits for the whole stream,
 * so that no command touches memory that its user frees then. */
static sct_status cuda_wait(sct_event event) {
    sct_stream *stream = event.of;
    pthread_mutex_lock(&stream->lock);
    cudaError_t error = stream->failure;
    cudaEvent_t found = find(event);
    pthread_mutex_unlock(&stream->lock);
    if (!error && found)
        error = cudaEventSynchronize(found);
    if (error)
        cudaStreamSynchronize(stream->stream);
    return sct_cuda_check(error, "run the commands of a stream");
}

static const sct_event_ops cuda_events = {cuda_done, cuda_wait};

static sct_event cuda_record(sct_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    if (!stream->marked)
        mark(stream);
    sct_event event = {&cuda_events, stream, stream->tickets};
    pthread_mutex_unlock(&stream->lock);
    return event;
}

cudaError_t sct_cuda_lead(sct_event event, cudaStream_t queue) {
    sct_stream *stream = event.of;
    if (!stream)
        return cudaSuccess;
    pthread_mutex_lock(&stream->lock);
    cudaError_t error = stream->failure;
    cudaEvent_t found = find(event);
    if (!error && found)
        error = cudaStreamWaitEvent(queue, found, 0);
    pthread_mutex_unlock(&stream->lock);
    return error;
}

static sct_status cuda_follow(sct_stream *stream, sct_event event) {
    if (event.ops != &cuda_events)
        return sct_event_wait(event);
    if (event.of == stream)
        return SCT_OK;
    stream->marked &= !event.number;
    return sct_cuda_check(sct_cuda_lead(event, stream->stream), "let a stream follow another");
}

typedef struct notice {
    sct_notice *call;
    void *context;
} notice;

static void CUDART_CB pass_on(cudaStream_t stream, cudaError_t error, void *data) {
    notice given = *(notice *)data;
    (void)stream;
    (void)error;
    free(data);
    given.call(given.context, sct_now_ns());
}

/* Not by cudaLaunchHostFunc, which does not call after an error of the device. */
static sct_status cuda_notify(sct_stream *stream, sct_notice *call, void *context) {
    notice *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a call");
    *made = (notice){call, context};
    cudaError_t error = cudaStreamAddCallback(stream->stream, pass_on, made, 0);
    if (error)
        free(made);
    return sct_cuda_check(error, "call the host");
}

/* ---- Opening ---- */

static void cuda_describe(sct_device *device, char *text, size_t bytes) {
    struct cudaDeviceProp about;
    int version = 0;
    bool known = !cudaGetDeviceProperties(&about, device_of(device)->gpu->id) &&
                 !cudaDriverGetVersion(&version);
    snprintf(text, bytes, "%s, CUDA %d.%d, driver for %d.%d", known ? about.name : "a GPU",
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, version / 1000,
             version % 1000 / 10);
}

static const sct_device_ops cuda_ops = {
    .name = "CUDA",
    .describe = cuda_describe,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .alloc_host = cuda_alloc_host,
    .release_host = cuda_release_host,
    .can_use = cuda_can_use,
    .share = sct_cuda_share,
    .attach = sct_cuda_attach,
    .detach = sct_cuda_detach,
    .stream_open = cuda_stream_open,
    .stream_close = cuda_stream_close,
    .submit = sct_cuda_submit,
    .record = cuda_record,
    .follow = cuda_follow,
    .notify = cuda_notify,
};

sct_status sct_device_cuda(sct_cuda_context *context, int index, sct_device **device) {
    sct_cuda_device *made = calloc(1, sizeof *made);
    if (!made) {
        sct_device_group_leave(&context->group, 1);
        return sct_no_memory("a device");
    }
    *made = (sct_cuda_device){.base = {.ops = &cuda_ops,
                                       .space = SCT_SPACE_DEVICE,
                                       .atomic_adds = true,
                                       .gpu = true,
                                       .half_products = true,
                                       .domain = context->listed[index]->id},
                              .context = context,
                              .gpu = context->listed[index],
                              .mailbox = !context->direct,
                              .slabs = {.lock = PTHREAD_MUTEX_INITIALIZER},
                              .idle = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    *device = &made->base;
    return SCT_OK;
}

bool sct_device_is_cuda(const sct_device *device) {
    return device->ops == &cuda_ops;
}
