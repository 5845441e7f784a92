/* settings.c - the functions of sectile_cuda.h. */
#include <sectile/sectile_cuda.h>

#include "api/engine.h"
#include "api/world.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>

static sct_status check_world(const sct_world *world) {
    sct_status status = sct_check_given("world", world);
    if (!status && !sct_device_is_cuda(world->device))
        status = sct_fail(SCT_BAD_ARGUMENT, "the engine of the world is not cuda");
    return status;
}

/* Other processes do not know the event: it is reached before they may use the memory. */
static sct_status await_own(sct_world *world, struct CUstream_st *stream) {
    cudaEvent_t own;
    sct_status status = sct_device_cuda_mark(world->device, stream, &own);
    if (!status)
        status = sct_cuda_check(cudaEventSynchronize(own), "wait for a user's stream");
    return sct_fabric_agree(world->fabric, status);
}

sct_status sct_cuda_follow(sct_world *world, struct CUstream_st *stream) {
    sct_status status = check_world(world);
    if (status)
        return status;
    sct_fabric *fabric = world->fabric;
    if (fabric->processes)
        return await_own(world, stream);
    cudaEvent_t own, *all = calloc((size_t)fabric->size, sizeof *all);
    status = all ? sct_device_cuda_mark(world->device, stream, &own) : sct_no_memory("events");
    status = sct_fabric_agree(fabric, status);
    if (!status)
        status = fabric->ops->exchange(fabric, &own, sizeof own, all);
    if (status)
        free(all);
    else
        sct_device_cuda_follow(world->device, fabric->size, all);
    return status;
}

sct_status sct_cuda_set_math(sct_world *world, sct_math math) {
    sct_status status = check_world(world);
    if (!status)
        status = sct_check_math(math);
    if (!status)
        sct_device_cuda_set_math(world->device, math);
    return status;
}

sct_status sct_cuda_set_accumulation(sct_world *world, sct_accumulation how) {
    sct_status status = check_world(world);
    if (!status)
        status = sct_check_accumulation(how);
    return status ? status : sct_device_cuda_set_accumulation(world->device, how);
}
