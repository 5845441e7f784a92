/* attach.c - memory that other processes of the host use, by CUDA's handles for that.
 *
 * A handle of CUDA stands for a whole allocation. It is opened on the GPU whose memory it is, which
 * this process must have too: then commands for such memory find their way as for any other memory
 * of that GPU. */
#include "device/cuda/symmetric.h"

#include <cuda.h>
#include <stdlib.h>
#include <string.h>

/* What a handle of ours says. */
typedef struct place {
    cudaIpcMemHandle_t allocation;
    cudaUUID_t gpu;
    size_t offset;
} place;
_Static_assert(sizeof(place) <= sizeof(sct_memory_handle), "a place fits into a handle");

struct sct_cuda_attached {
    sct_cuda_attached *next;
    void *allocation;
    char *memory;
};

/* ---- Sharing ---- */

typedef CUresult find_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr within);

/* Finds the allocation that memory lies in. Only the driver can report it, to which the library is
 * not linked. */
static bool find_allocation(const void *memory, CUdeviceptr *base, size_t *bytes) {
    enum { VERSION = 12000 };
    void *found = NULL;
    find_range *find = NULL;
    enum cudaDriverEntryPointQueryResult how;
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &found, VERSION,
                                                         cudaEnableDefault, &how);
    memcpy(&find, &found, sizeof find);
    return !error && find && find(base, bytes, (CUdeviceptr)(uintptr_t)memory) == CUDA_SUCCESS;
}

/* Refusals are none of the user's concern. */
static bool forget(bool success) {
    if (!success)
        cudaGetLastError();
    return success;
}

bool sct_cuda_share(sct_device *device, const void *memory, size_t bytes,
                    sct_memory_handle *handle) {
    const sct_cuda_device *self = (sct_cuda_device *)device;
    sct_cuda_gpu *gpu;
    CUdeviceptr base;
    size_t size;
    place shared;
    if (self->symmetric)
        return sct_cuda_symmetric_share(self->symmetric, memory, bytes, handle);
    if (sct_cuda_find_gpu(self->context, memory, &gpu) || !gpu || cudaSetDevice(gpu->id) ||
        !find_allocation(memory, &base, &size))
        return forget(false);
    memset(&shared, 0, sizeof shared);
    shared.gpu = gpu->uuid;
    shared.offset = (uintptr_t)memory - (uintptr_t)base;
    if (bytes > size - shared.offset)
        return false;
    cudaError_t error = cudaIpcGetMemHandle(&shared.allocation, (void *)(uintptr_t)base);
    memcpy(handle->bytes, &shared, sizeof shared);
    return forget(error == cudaSuccess);
}

/* ---- Attaching ---- */

void *sct_cuda_attach(sct_device *device, const sct_memory_handle *handle) {
    sct_cuda_device *self = (sct_cuda_device *)device;
    place shared;
    if (self->symmetric)
        return sct_cuda_symmetric_attach(self->symmetric, handle);
    memcpy(&shared, handle->bytes, sizeof shared);
    const sct_cuda_gpu *gpu = sct_cuda_gpu_named(self->context, &shared.gpu);
    sct_cuda_attached *made = gpu ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return NULL;
    cudaError_t error = cudaSetDevice(gpu->id);
    if (!error)
        error = cudaIpcOpenMemHandle(&made->allocation, shared.allocation,
                                     cudaIpcMemLazyEnablePeerAccess);
    forget(cudaSetDevice(self->gpu->id) == cudaSuccess);
    if (!forget(error == cudaSuccess)) {
        free(made);
        return NULL;
    }
    made->memory = (char *)made->allocation + shared.offset;
    made->next = self->attached;
    self->attached = made;
    return made->memory;
}

void sct_cuda_detach(sct_device *device, void *memory) {
    sct_cuda_device *self = (sct_cuda_device *)device;
    sct_cuda_attached **link = &self->attached;
    if (self->symmetric)
        return;
    while ((*link)->memory != memory)
        link = &(*link)->next;
    sct_cuda_attached *found = *link;
    *link = found->next;
    forget(cudaIpcCloseMemHandle(found->allocation) == cudaSuccess);
    free(found);
}
