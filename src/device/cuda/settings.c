/* settings.c - what users can change of a device while it is open. */
#include "device/cuda/cuda.h"

#include "device/cuda/stream.h"

static sct_cuda_device *device_of(sct_device *device) {
    return (sct_cuda_device *)device;
}

sct_status sct_device_cuda_reserve(sct_device *device, size_t bytes) {
    sct_cuda_device *self = device_of(device);
    sct_status status = sct_cuda_check(cudaSetDevice(self->gpu->id), "use a device");
    if (!status && !sct_cuda_slabs_reserve(&self->slabs, bytes))
        status = sct_fail(SCT_NO_MEMORY, "SECTILE_CUDA_BYTES: the GPU has no %zu bytes", bytes);
    return status;
}

sct_status sct_device_cuda_follow(sct_stream *stream, cudaStream_t user) {
    sct_cuda_device *self = stream->device;
    cudaError_t error = cudaSetDevice(self->gpu->id);
    if (!error && !self->user)
        error = cudaEventCreateWithFlags(&self->user, cudaEventDisableTiming);
    if (!error)
        error = cudaEventRecord(self->user, user);
    if (!error)
        error = cudaStreamWaitEvent(stream->stream, self->user, 0);
    stream->marked = false;
    return sct_cuda_check(error, "follow a user's stream");
}

sct_status sct_device_cuda_lead(sct_device *device, cudaStream_t user) {
    cudaError_t error = cudaSetDevice(device_of(device)->gpu->id);
    if (!error)
        error = sct_cuda_lead(device->held, user);
    return sct_cuda_check(error, "let a user's stream wait");
}

void sct_device_cuda_set_math(sct_device *device, sct_math math) {
    device_of(device)->tf32 = math == SCT_MATH_TF32;
}

sct_status sct_device_cuda_set_accumulation(sct_device *device, sct_accumulation how) {
    sct_cuda_device *self = device_of(device);
    bool direct = self->context->direct;
    if (how == SCT_ACCUMULATION_ATOMIC && !direct)
        return sct_fail(SCT_NO_ENGINE,
                        "GPUs of this world cannot make atomic additions to the memory of others");
    self->mailbox = how == SCT_ACCUMULATION_MAILBOX || !direct;
    return SCT_OK;
}
