/* settings.c - the functions of sectile_cuda.h. */
#include <sectile/sectile_cuda.h>

#include "api/engine.h"
#include "api/world.h"
#include "device/cuda/cuda.h"

static sct_status check_device(const sct_device *device) {
    return sct_device_is_cuda(device)
               ? SCT_OK
               : sct_fail(SCT_BAD_ARGUMENT, "the engine of the world is not cuda");
}

static sct_status check_world(const sct_world *world) {
    sct_status status = sct_check_given("world", world);
    return status ? status : check_device(world->device);
}

/* Processes cannot follow each other's streams: the host waits before they may use the memory. */
sct_status sct_cuda_follow(sct_world *world, struct CUstream_st *stream) {
    sct_status status = check_world(world);
    if (status)
        return status;
    sct_fabric *fabric = world->fabric;
    sct_fabric_enter(fabric);
    status = sct_device_cuda_follow(world->stream, stream);
    if (!(status = sct_fabric_agree(fabric, status)))
        status = fabric->ops->order(fabric, SCT_OK, world->stream);
    return sct_fabric_leave(fabric, status);
}

sct_status sct_cuda_job_wait(sct_job *job, struct CUstream_st *stream) {
    sct_status status = sct_check_given("job", job);
    if (!status)
        status = check_device(job->context.device);
    if (status)
        return status;
    sct_fabric *fabric = job->context.fabric;
    sct_fabric_enter(fabric);
    status = sct_job_finish(job, true);
    if (!status)
        status = sct_fabric_agree(fabric, sct_device_cuda_lead(job->context.device, stream));
    return sct_fabric_leave(fabric, status);
}

sct_status sct_cuda_set_math(sct_world *world, sct_math math) {
    sct_status status = check_world(world);
    if (!status && (unsigned)math > SCT_MATH_TF32)
        status = sct_fail(SCT_BAD_ARGUMENT, "math: %d is not a kind of arithmetic", (int)math);
    if (!status)
        sct_device_cuda_set_math(world->device, math);
    return status;
}

sct_status sct_cuda_set_accumulation(sct_world *world, sct_accumulation how) {
    sct_status status = check_world(world);
    if (!status && (unsigned)how > SCT_ACCUMULATION_MAILBOX)
        status =
            sct_fail(SCT_BAD_ARGUMENT, "accumulation: %d is not a way to accumulate", (int)how);
    return status ? status : sct_device_cuda_set_accumulation(world->device, how);
}
