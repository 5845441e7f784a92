/* connect.c - starts NVSHMEM on all ranks, and makes its heap. */
#include "api/cuda/connect.h"

#include "base/checked.h"
#include "base/setting.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>

/* What a rank publishes: a name for the group, which that of rank 0 is for, and how large
 * the heap may be. */
typedef struct proposal {
    sct_nvshmem_id id;
    size_t bytes;
} proposal;

sct_status sct_cuda_memory_wanted(size_t *bytes) {
    int64_t number;
    sct_status status = sct_setting("SECTILE_CUDA_BYTES", 1, INT64_MAX, 0, &number);
    *bytes = (size_t)number;
    return status;
}

/* What users want; otherwise half of the memory that is free on the current GPU. */
static sct_status find_bytes(size_t *bytes) {
    size_t all;
    sct_status status = sct_cuda_memory_wanted(bytes);
    if (status || *bytes > 0)
        return status;
    cudaError_t error = cudaMemGetInfo(bytes, &all);
    *bytes /= 2;
    return sct_cuda_check(error, "ask for free memory");
}

static sct_status propose(const sct_fabric *ranks, sct_device *device, proposal *mine) {
    const sct_nvshmem *nvshmem = sct_nvshmem_functions();
    if (!nvshmem)
        return sct_fail(SCT_NO_ENGINE, "path: this build is without NVSHMEM");
    sct_status status = sct_device_cuda_prepare_join(device, ranks->rank, ranks->size);
    if (!status)
        status = find_bytes(&mine->bytes);
    if (!status && ranks->rank == 0 && nvshmem->name(&mine->id))
        status = sct_fail(SCT_NO_ENGINE, "path: NVSHMEM could not be started");
    return status;
}

static size_t least_bytes(int ranks, const proposal *all) {
    enum { GRANULE = 1 << 21 };
    size_t least = all[0].bytes;
    for (int r = 1; r < ranks; r++)
        least = all[r].bytes < least ? all[r].bytes : least;
    return least > GRANULE ? least / GRANULE * GRANULE : GRANULE;
}

sct_status sct_cuda_connect(sct_fabric *ranks, const sct_world_options *options,
                            sct_device *device) {
    if (options->path != SCT_PATH_NVSHMEM)
        return SCT_OK;
    proposal mine = {.bytes = 0}, *all = calloc((size_t)ranks->size, sizeof *all);
    sct_status status = all ? propose(ranks, device, &mine) : sct_no_memory("NVSHMEM");
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, all);
    if (!status)
        status = sct_device_cuda_join(device, &all[0].id);
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = sct_device_cuda_make_heap(device, least_bytes(ranks->size, all));
    free(all);
    return status;
}
