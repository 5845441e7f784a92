/* connect.h - lets GPUs of processes share memory by NVSHMEM. */
#ifndef SCT_API_CUDA_CONNECT_H
#define SCT_API_CUDA_CONNECT_H

#include "api/engine.h"

/* A sct_device_connector: does nothing unless the options select that path. */
sct_status sct_cuda_connect(sct_fabric *ranks, const sct_world_options *options,
                            sct_device *device);

#endif
