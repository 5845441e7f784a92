/* context.c - creates and frees a context, in which devices can use each other's memory. */
#include "device/cuda/context.h"

#include <stdlib.h>

/* Lets a GPU use the memory of another. Another world may have done so. */
static cudaError_t enable(int id, int peer, bool *can) {
    int able = 0;
    cudaError_t error = cudaDeviceCanAccessPeer(&able, id, peer);
    if (!error && able)
        error = cudaSetDevice(id);
    if (!error && able)
        error = cudaDeviceEnablePeerAccess(peer, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled)
        error = cudaGetLastError() ? cudaSuccess : cudaErrorUnknown;
    *can = able != 0;
    return error;
}

static sct_status enable_peers(sct_cuda_context *context) {
    cudaError_t error = cudaSuccess;
    context->peers = true;
    for (int i = 0; i < context->count && !error; i++)
        for (int j = 0; j < context->count && !error; j++) {
            bool can = true;
            if (context->id[i] != context->id[j])
                error = enable(context->id[i], context->id[j], &can);
            context->peers &= can;
        }
    return sct_cuda_check(error, "give devices access to each other");
}

static void destroy(sct_cuda_context *context) {
    pthread_mutex_destroy(&context->lock);
    free(context);
}

sct_status sct_cuda_context_create(const char *list, int users, sct_cuda_context **context) {
    sct_cuda_context *made = calloc(1, sizeof *made);
    if (!made)
        return sct_no_memory("the devices of CUDA");
    made->users = users;
    pthread_mutex_init(&made->lock, NULL);
    sct_status status = sct_cuda_choose_devices(list, made);
    if (!status)
        status = enable_peers(made);
    if (status)
        destroy(made);
    else
        *context = made;
    return status;
}

void sct_cuda_context_leave(sct_cuda_context *context, int users) {
    pthread_mutex_lock(&context->lock);
    context->users -= users;
    bool last = context->users == 0;
    pthread_mutex_unlock(&context->lock);
    if (last)
        destroy(context);
}

sct_status sct_cuda_check(cudaError_t error, const char *what) {
    if (error == cudaSuccess)
        return SCT_OK;
    cudaGetLastError(); /* so that the user does not find it */
    return sct_fail(error == cudaErrorMemoryAllocation ? SCT_NO_MEMORY : SCT_FAILED,
                    "CUDA: could not %s: %s", what, cudaGetErrorString(error));
}
