/* cuda.h - devices of CUDA. */
#ifndef SCT_DEVICE_CUDA_CUDA_H
#define SCT_DEVICE_CUDA_CUDA_H

#include "device/cuda/context.h"
#include "device/cuda/nvshmem/nvshmem.h"

/* Device number `index` of a context, of which the device is one of the users; it leaves when it
 * closes, or cannot be opened. Its calls make it the current device of their thread. */
sct_status sct_device_cuda(sct_cuda_context *context, int index, sct_device **device);
bool sct_device_is_cuda(const sct_device *device);

/* Before the device is used: allocates one slab, from which all memory of the device is taken. */
sct_status sct_device_cuda_reserve(sct_device *device, size_t bytes);

/* Has a stream of a device follow what a user's stream of the same GPU has been given. */
sct_status sct_device_cuda_follow(sct_stream *stream, cudaStream_t user);
/* Has a user's stream wait for what the commands of the device are held for. */
sct_status sct_device_cuda_lead(sct_device *device, cudaStream_t user);

/* These three let ranks that are processes share memory by NVSHMEM. All of the device's memory is
 * then in a heap, which is equally large on all ranks. Call them in this order, before the device
 * is used. The first is local. In the other two, NVSHMEM waits for all ranks: call them only if the
 * call before has succeeded on all. */
sct_status sct_device_cuda_prepare_join(sct_device *device, int rank, int ranks);
sct_status sct_device_cuda_join(sct_device *device, const sct_nvshmem_id *id);
sct_status sct_device_cuda_make_heap(sct_device *device, size_t bytes);

void sct_device_cuda_set_math(sct_device *device, sct_math math);
/* Fails with SCT_NO_ENGINE if contributions are to be atomic, but can only go into mailboxes. */
sct_status sct_device_cuda_set_accumulation(sct_device *device, sct_accumulation how);

#endif
