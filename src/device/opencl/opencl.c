/* opencl.c - the device: streams, and events as markers in their queues. */
#include "device/opencl/opencl.h"

#include "base/clock.h"
#include "device/opencl/stream.h"

#include <stdio.h>
#include <stdlib.h>

static sct_cl_device *device_of(sct_device *device) {
    return (sct_cl_device *)device;
}

/* ---- Memory ---- */

/* Waits until all commands of a queue have run. */
static cl_int finish(sct_cl_device *device, cl_command_queue queue) {
    device->base.waits++;
    return clFinish(queue);
}

/* Moves a new buffer to the device, since some systems allocate a buffer only when a command uses
 * it, and that command would fail. */
static bool place(sct_cl_device *device, void *memory) {
    cl_mem buffer = sct_cl_find(device->context, memory).buffer;
    return clEnqueueMigrateMemObjects(device->placing, 1, &buffer,
                                      CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL,
                                      NULL) == CL_SUCCESS &&
           finish(device, device->placing) == CL_SUCCESS;
}

static void *opencl_alloc(sct_device *device, size_t bytes) {
    sct_cl_device *self = device_of(device);
    void *memory = sct_cl_alloc(self->context, bytes);
    if (!memory || place(self, memory))
        return memory;
    sct_cl_release(self->context, memory);
    return NULL;
}

static void opencl_release(sct_device *device, void *memory) {
    sct_cl_release(device_of(device)->context, memory);
}

static bool opencl_can_use(sct_device *device, const void *memory) {
    return sct_cl_find(device_of(device)->context, memory).buffer != NULL;
}

/* ---- Streams ---- */

static sct_stream *idle_or_new(sct_cl_device *device) {
    sct_stream *stream = sct_idle_take(&device->idle);
    if (!stream && (stream = calloc(1, sizeof *stream))) {
        stream->device = device;
        stream->number = ++device->context->streams;
        stream->room.context = device->context->context;
        pthread_mutex_init(&stream->lock, NULL);
    }
    return stream;
}

static sct_status opencl_stream_open(sct_device *device, sct_stream **stream) {
    sct_cl_device *self = device_of(device);
    sct_stream *made = idle_or_new(self);
    cl_int error = CL_SUCCESS;
    if (!made)
        return sct_no_memory("a stream");
    if (!made->queue)
        made->queue = clCreateCommandQueue(self->context->context, self->id,
                                           CL_QUEUE_PROFILING_ENABLE, &error);
    if (error != CL_SUCCESS) {
        made->queue = NULL;
        sct_idle_put(&self->idle, &made->idle);
        return sct_cl_check(error, "make a command queue");
    }
    *stream = made;
    return SCT_OK;
}

static void opencl_stream_close(sct_stream *stream) {
    finish(stream->device, stream->queue);
    sct_cl_room_clear(&stream->room);
    sct_idle_put(&stream->device->idle, &stream->idle);
}

static void free_stream(sct_stream *stream) {
    for (int i = 0; i < SCT_CL_EVENTS; i++)
        if (stream->marker[i])
            clReleaseEvent(stream->marker[i]);
    for (int p = 0; p < SCT_CL_PROGRAMS; p++)
        for (int k = 0; k < SCT_CL_KERNELS; k++)
            if (stream->kernel[p][k])
                clReleaseKernel(stream->kernel[p][k]);
    if (stream->queue)
        clReleaseCommandQueue(stream->queue);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

static void opencl_close(sct_device *device) {
    sct_cl_device *self = device_of(device);
    for (sct_stream *stream; (stream = sct_idle_take(&self->idle));)
        free_stream(stream);
    clReleaseCommandQueue(self->placing);
    pthread_mutex_destroy(&self->idle.lock);
    pthread_mutex_destroy(&self->mapped_lock);
    free(self);
}

/* ---- Events ---- */

/* With the stream locked. The marker whose place is taken is given up, reached or not: it lives as
 * long as commands follow it. Without a marker, the event is reached when this returns. */
static void mark(sct_stream *stream) {
    cl_event marker;
    cl_int error = clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &marker);
    if (error != CL_SUCCESS) {
        finish(stream->device, stream->queue);
        stream->failure = error;
        marker = NULL;
    }
    clFlush(stream->queue); /* so that other queues can wait for it */
    cl_event *place = &stream->marker[++stream->tickets % SCT_CL_EVENTS];
    if (*place)
        clReleaseEvent(*place);
    *place = marker;
    stream->marked = true;
}

/* Fails once if a marker of the stream is missing. */
static sct_status check_markers(sct_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    cl_int failure = stream->failure;
    stream->failure = CL_SUCCESS;
    pthread_mutex_unlock(&stream->lock);
    return sct_cl_check(failure, "mark a place in a stream");
}

/* The marker of an event, or the oldest after it that is kept; NULL: it is reached. The caller
 * releases it. */
static cl_event hold_marker(sct_event event) {
    sct_stream *stream = event.of;
    if (event.number == 0)
        return NULL;
    pthread_mutex_lock(&stream->lock);
    uint64_t number = sct_kept_ticket(event.number, stream->tickets, SCT_CL_EVENTS);
    cl_event marker = stream->marker[number % SCT_CL_EVENTS];
    if (marker)
        clRetainEvent(marker);
    pthread_mutex_unlock(&stream->lock);
    return marker;
}

/* CL_COMPLETE, a state before it, or a negative error. */
static cl_int state_of(cl_event marker) {
    cl_int state = CL_COMPLETE;
    cl_int error =
        clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return error == CL_SUCCESS ? state : error;
}

static bool opencl_done(sct_event event) {
    cl_event marker = hold_marker(event);
    bool done = !marker || state_of(marker) <= CL_COMPLETE;
    if (marker)
        clReleaseEvent(marker);
    return done;
}

static sct_status opencl_wait(sct_event event) {
    cl_event marker = hold_marker(event);
    cl_int error = CL_SUCCESS;
    if (marker) {
        error = clWaitForEvents(1, &marker);
        cl_int state = state_of(marker);
        error = state < 0 ? state : error;
        clReleaseEvent(marker);
    }
    sct_status status = sct_cl_check(error, "run the commands of a stream");
    return status ? status : check_markers(event.of);
}

static const sct_event_ops opencl_events = {opencl_done, opencl_wait};

static sct_event opencl_record(sct_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    if (!stream->marked)
        mark(stream);
    sct_event event = {&opencl_events, stream, stream->tickets};
    pthread_mutex_unlock(&stream->lock);
    return event;
}

/* What a stream has followed of another, or the place where to note it, which has that of a stream
 * that it has not followed for long. */
static sct_cl_followed *find_followed(sct_stream *stream, uint64_t number) {
    for (int i = 0; i < SCT_CL_FOLLOWED; i++)
        if (stream->followed[i].number == number)
            return &stream->followed[i];
    sct_cl_followed *place = &stream->followed[stream->next_followed++ % SCT_CL_FOLLOWED];
    *place = (sct_cl_followed){.number = number};
    return place;
}

static sct_status follow_marker(sct_stream *stream, cl_event marker) {
    cl_int state = state_of(marker), error = state < 0 ? state : CL_SUCCESS;
    if (state > CL_COMPLETE) {
        error = clEnqueueBarrierWithWaitList(stream->queue, 1, &marker, NULL);
        stream->marked = false;
    }
    clReleaseEvent(marker);
    return sct_cl_check(error, "let a stream follow another");
}

/* Nothing is submitted if the stream follows that event, or a later one, already: many products
 * follow the same get. */
static sct_status opencl_follow(sct_stream *stream, sct_event event) {
    const sct_stream *first = event.of;
    if (event.ops != &opencl_events)
        return sct_event_wait(event);
    if (first == stream)
        return SCT_OK;
    sct_cl_followed *followed = find_followed(stream, first->number);
    if (event.number <= followed->ticket)
        return SCT_OK;
    cl_event marker = hold_marker(event);
    sct_status status = marker ? follow_marker(stream, marker) : SCT_OK;
    if (!status)
        followed->ticket = event.number;
    return status;
}

/* ---- Calls ---- */

typedef struct notice {
    sct_notice *call;
    void *context;
    int64_t queued_ns;
} notice;

static cl_ulong device_time(cl_event marker, cl_profiling_info which) {
    cl_ulong ns = 0;
    clGetEventProfilingInfo(marker, which, sizeof ns, &ns, NULL);
    return ns;
}

/* When the device got to the marker. Its clock is not that of the host, so this is the host's time
 * of queueing the marker, plus what the device says has passed from then to the marker's end. */
static int64_t reached_ns(cl_event marker, int64_t queued_ns) {
    cl_ulong queued = device_time(marker, CL_PROFILING_COMMAND_QUEUED);
    cl_ulong end = device_time(marker, CL_PROFILING_COMMAND_END);
    bool known = queued > 0 && end >= queued;
    return known ? queued_ns + (int64_t)(end - queued) : sct_now_ns();
}

static void CL_CALLBACK pass_on(cl_event marker, cl_int state, void *data) {
    notice given = *(notice *)data;
    (void)state;
    free(data);
    given.call(given.context, reached_ns(marker, given.queued_ns));
}

static sct_status opencl_notify(sct_stream *stream, sct_notice *call, void *context) {
    notice *made = malloc(sizeof *made);
    cl_event marker;
    if (!made)
        return sct_no_memory("a call");
    *made = (notice){call, context, sct_now_ns()};
    cl_int error = clEnqueueMarkerWithWaitList(stream->queue, 0, NULL, &marker);
    if (error == CL_SUCCESS) {
        error = clSetEventCallback(marker, CL_COMPLETE, pass_on, made);
        clReleaseEvent(marker);
        clFlush(stream->queue);
    }
    if (error != CL_SUCCESS)
        free(made);
    return sct_cl_check(error, "note a time");
}

static void opencl_describe(sct_device *device, char *text, size_t bytes) {
    cl_device_id id = device_of(device)->id;
    char name[80] = "a device", version[80] = "OpenCL";
    clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(id, CL_DEVICE_VERSION, sizeof version, version, NULL);
    snprintf(text, bytes, "%s, %s, %s", name, version, device_of(device)->blas->name);
}

static const sct_device_ops opencl_ops = {
    .name = "OpenCL",
    .describe = opencl_describe,
    .close = opencl_close,
    .alloc = opencl_alloc,
    .release = opencl_release,
    .alloc_host = sct_cl_alloc_host,
    .release_host = sct_cl_release_host,
    .can_use = opencl_can_use,
    .stream_open = opencl_stream_open,
    .stream_close = opencl_stream_close,
    .submit = sct_cl_submit,
    .record = opencl_record,
    .follow = opencl_follow,
    .notify = opencl_notify,
};

static bool is_gpu(cl_device_id device) {
    cl_device_type kind = 0;
    cl_int error = clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof kind, &kind, NULL);
    return error == CL_SUCCESS && (kind & CL_DEVICE_TYPE_GPU);
}

/* OpenCL makes f64 optional, and some GPUs have none. */
static bool lacks_f64(cl_device_id device) {
    cl_device_fp_config f64 = 0;
    cl_int error = clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof f64, &f64, NULL);
    return error == CL_SUCCESS && f64 == 0;
}

sct_status sct_device_opencl(sct_cl_context *context, int index, sct_device **device) {
    cl_int error = CL_SUCCESS;
    sct_cl_device *made = calloc(1, sizeof *made);
    cl_command_queue placing =
        made ? clCreateCommandQueue(context->context, context->device[index], 0, &error) : NULL;
    if (!placing) {
        sct_status status =
            made ? sct_cl_check(error, "make a command queue") : sct_no_memory("a device");
        free(made);
        return status;
    }
    *made = (sct_cl_device){.base = {.ops = &opencl_ops,
                                     .space = SCT_SPACE_DEVICE,
                                     .gpu = is_gpu(context->device[index]),
                                     .domain = context->domain[index],
                                     .most_elements = SCT_CL_MOST_ELEMENTS,
                                     .lacks_f64 = lacks_f64(context->device[index])},
                            .context = context,
                            .id = context->device[index],
                            .placing = placing,
                            .blas = &sct_cl_clblast,
                            .idle = {.lock = PTHREAD_MUTEX_INITIALIZER},
                            .mapped_lock = PTHREAD_MUTEX_INITIALIZER};
    made->most_k = made->blas->tune(made->id);
    *device = &made->base;
    return SCT_OK;
}
