/* settings.c - what users can change of a device while it is open. */
#include "device/cuda/cuda.h"

#include "device/cuda/stream.h"

#include <stdlib.h>

static sct_cuda_device *device_of(sct_device *device) {
    return (sct_cuda_device *)device;
}

sct_status sct_device_cuda_mark(sct_device *device, cudaStream_t stream, cudaEvent_t *event) {
    sct_cuda_device *self = device_of(device);
    cudaError_t error = cudaSetDevice(self->gpu->id);
    if (!error && !self->own_first)
        error = cudaEventCreateWithFlags(&self->own_first, cudaEventDisableTiming);
    if (!error)
        error = cudaEventRecord(self->own_first, stream);
    *event = self->own_first;
    return sct_cuda_check(error, "record an event of a user's stream");
}

void sct_device_cuda_follow(sct_device *device, int count, cudaEvent_t *events) {
    sct_cuda_device *self = device_of(device);
    free(self->first);
    self->first = events;
    self->firsts = count;
    self->firsts_number++;
}

void sct_device_cuda_allow_tf32(sct_device *device, bool allow) {
    device_of(device)->tf32 = allow;
}

bool sct_device_cuda_is_direct(const sct_device *device) {
    return ((const sct_cuda_device *)device)->context->direct;
}

sct_status sct_device_cuda_use_mailbox(sct_device *device, bool use) {
    if (!use && !sct_device_cuda_is_direct(device))
        return sct_fail(SCT_NO_ENGINE, "GPUs of this world cannot add to the memory of others");
    device_of(device)->mailbox = use;
    return SCT_OK;
}
