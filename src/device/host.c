/* host.c - the host device: runs commands at once, on the caller's thread. */
#include "device/host.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/strided.h"
#include "device/blas.h"

#include <stdlib.h>

sct_status sct_host_execute(const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    sct_type type = command->type;
    switch (command->work) {
    case SCT_DO_MOVE:
        sct_strided_move(w->lines, (size_t)w->count, w->from, (size_t)w->from_ld, w->to,
                         (size_t)w->to_ld);
        return SCT_OK;
    case SCT_DO_COPY:
        sct_strided_copy(type, w->conjugate, w->lines, w->count, w->from, w->from_ld, w->to,
                         w->to_ld);
        return SCT_OK;
    case SCT_DO_TRANSPOSE:
        sct_strided_transpose(type, w->conjugate, w->lines, w->count, w->from, w->from_ld, w->to,
                              w->to_ld);
        return SCT_OK;
    case SCT_DO_CONVERT:
        sct_strided_convert(type, w->to_type, w->lines, w->count, w->from, w->from_ld, w->to,
                            w->to_ld);
        return SCT_OK;
    case SCT_DO_ADD:
        (w->atomic ? sct_atomic_add : sct_strided_add)(type, w->lines, w->count, w->from,
                                                       w->from_ld, w->to, w->to_ld);
        return SCT_OK;
    case SCT_DO_SCALE:
        sct_strided_scale(type, w->lines, w->count, w->factor, w->to, w->to_ld);
        return SCT_OK;
    case SCT_DO_GEMM:
        sct_blas_gemm(type, &command->gemm, SCT_BLAS_LONGEST);
        return SCT_OK;
    }
    return sct_fail(SCT_BAD_ARGUMENT, "%d is not a kind of work", (int)command->work);
}

static void *host_alloc(sct_device *device, size_t bytes) {
    (void)device;
    return sct_memory_alloc(bytes);
}

static void host_release(sct_device *device, void *memory) {
    (void)device;
    free(memory);
}

static bool host_can_use(sct_device *device, const void *memory) {
    (void)device;
    (void)memory;
    return true;
}

static void host_close(sct_device *device) {
    free(device);
}

/* Nothing is ever in flight, so one stream, which just names its device, serves as all. */
static sct_status host_stream_open(sct_device *device, sct_stream **stream) {
    *stream = (sct_stream *)device;
    return SCT_OK;
}

static void host_stream_close(sct_stream *stream) {
    (void)stream;
}

static sct_status host_submit(sct_stream *stream, const sct_command *command) {
    (void)stream;
    return sct_host_execute(command);
}

static sct_event host_record(sct_stream *stream) {
    (void)stream;
    return (sct_event){.ops = NULL};
}

static sct_status host_follow(sct_stream *stream, sct_event event) {
    (void)stream;
    return sct_event_wait(event);
}

static sct_status host_notify(sct_stream *stream, sct_notice *call, void *context) {
    (void)stream;
    call(context, sct_now_ns());
    return SCT_OK;
}

static const sct_device_ops host_ops = {
    .name = "host",
    .describe = sct_blas_describe,
    .close = host_close,
    .alloc = host_alloc,
    .release = host_release,
    .alloc_host = host_alloc,
    .release_host = host_release,
    .can_use = host_can_use,
    .stream_open = host_stream_open,
    .stream_close = host_stream_close,
    .submit = host_submit,
    .record = host_record,
    .follow = host_follow,
    .notify = host_notify,
};

sct_status sct_device_host(sct_device **device) {
    sct_device *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("a device");
    *made = (sct_device){.ops = &host_ops, .at_once = true};
    *device = made;
    return SCT_OK;
}
