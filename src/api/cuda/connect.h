/* connect.h - the memory that ranks have of their GPUs, and how processes share it by NVSHMEM. */
#ifndef SCT_API_CUDA_CONNECT_H
#define SCT_API_CUDA_CONNECT_H

#include "api/engine.h"

/* The variable SECTILE_CUDA_BYTES: all memory that a rank has of its GPU is one slab of so many
 * bytes. 0: there may be several, of any size. */
sct_status sct_cuda_memory_wanted(size_t *bytes);

/* A sct_device_connector: does nothing unless the options select that path. */
sct_status sct_cuda_connect(sct_fabric *ranks, const sct_world_options *options,
                            sct_device *device);

#endif
