/* cuda.h - devices of CUDA. */
#ifndef SCT_DEVICE_CUDA_CUDA_H
#define SCT_DEVICE_CUDA_CUDA_H

#include "device/cuda/context.h"

/* Device number `index` of a context, of which the device is one of the users; it leaves when it
 * closes, or cannot be opened. Its calls make it the current device of their thread. */
sct_status sct_device_cuda(sct_cuda_context *context, int index, sct_device **device);

#endif
