/* context.c - creates and frees a context, in which devices can use each other's memory. */
#include "device/cuda/context.h"

#include <stdlib.h>
#include <string.h>

/* Gives the current GPU access to the memory of another; it may have it already, through another
 * world. Sets `able` to 0 if CUDA allows the GPU access to no more GPUs. */
static cudaError_t open_access(int peer, int *able) {
    cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
    *able = error != cudaErrorTooManyPeers;
    bool settled = error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorTooManyPeers;
    return settled && cudaGetLastError() == error ? cudaSuccess : error;
}

static cudaError_t enable(sct_cuda_context *context, int id, int peer) {
    int able = 0, atomic = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&able, id, peer);
    if (!error && able)
        error = cudaSetDevice(id);
    if (!error && able)
        error = open_access(peer, &able);
    if (!error && able)
        error = cudaDeviceGetP2PAttribute(&atomic, cudaDevP2PAttrNativeAtomicSupported, id, peer);
    context->peers &= able != 0;
    context->direct &= atomic != 0;
    return error;
}

static sct_status enable_peers(sct_cuda_context *context) {
    cudaError_t error = cudaSuccess;
    context->peers = context->direct = true;
    for (int i = 0; i < context->gpus; i++)
        for (int j = 0; j < context->gpus && !error; j++)
            if (i != j)
                error = enable(context, context->gpu[i].id, context->gpu[j].id);
    return sct_cuda_check(error, "give devices access to each other");
}

static sct_status look_up(sct_cuda_gpu *gpu) {
    int lowest;
    struct cudaDeviceProp about;
    cudaError_t error = cudaSetDevice(gpu->id);
    if (!error)
        error = cudaGetDeviceProperties(&about, gpu->id);
    if (!error)
        gpu->uuid = about.uuid;
    if (!error)
        error = cudaDeviceGetAttribute(&gpu->major, cudaDevAttrComputeCapabilityMajor, gpu->id);
    if (!error)
        error = cudaDeviceGetStreamPriorityRange(&lowest, &gpu->priority);
    return sct_cuda_check(error, "use a device");
}

static void destroy(sct_device_group *group) {
    sct_cuda_context *context = (sct_cuda_context *)group;
    for (int i = 0; i < context->gpus; i++)
        sct_cuda_mailbox_close(&context->gpu[i]);
    pthread_mutex_destroy(&group->lock);
    free(context);
}

sct_status sct_cuda_context_create(const char *list, int users, sct_cuda_context **context) {
    sct_cuda_context *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("the devices of CUDA");
    made->group =
        (sct_device_group){.destroy = destroy, .lock = PTHREAD_MUTEX_INITIALIZER, .users = users};
    sct_status status = sct_cuda_choose_devices(list, made);
    for (int i = 0; i < made->gpus && !status; i++)
        status = look_up(&made->gpu[i]);
    if (!status)
        status = enable_peers(made);
    if (status)
        destroy(&made->group);
    else
        *context = made;
    return status;
}

sct_cuda_gpu *sct_cuda_gpu_named(sct_cuda_context *context, const cudaUUID_t *name) {
    for (int i = 0; i < context->gpus; i++)
        if (memcmp(&context->gpu[i].uuid, name, sizeof *name) == 0)
            return &context->gpu[i];
    return NULL;
}

cudaError_t sct_cuda_find_gpu(sct_cuda_context *context, const void *memory, sct_cuda_gpu **gpu) {
    struct cudaPointerAttributes found;
    cudaError_t error = cudaPointerGetAttributes(&found, memory);
    *gpu = NULL;
    if (error)
        return error;
    bool device = found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
    for (int i = 0; i < context->gpus && device; i++)
        if (context->gpu[i].id == found.device)
            *gpu = &context->gpu[i];
    return cudaSuccess;
}

sct_status sct_cuda_check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return SCT_OK;
    cudaGetLastError(); /* so that the user does not find it */
    return sct_fail(error == cudaErrorMemoryAllocation ? SCT_NO_MEMORY : SCT_FAILED,
                    "CUDA: could not %s: %s", what, cudaGetErrorString(error));
}
