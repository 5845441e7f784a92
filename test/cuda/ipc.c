/* ipc.c - the functions of CUDA by which processes use each other's memory. */
#include "cuda/state.h"

#include "support/check.h"

#include <cuda.h>
#include <string.h>

_Static_assert(sizeof(shared_allocation) <= sizeof(cudaIpcMemHandle_t), "it fits into a handle");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory) {
    shared_allocation shared;
    if (call_fails(CALL_IPC_GET))
        return fail_with(cudaErrorNotSupported);
    if (!emulated_share(memory, &shared))
        return fail_with(cudaErrorInvalidValue);
    memcpy(handle, &shared, sizeof shared);
    return cudaSuccess;
}

/* Stand-ins open memory only on the device that it belongs to. */
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags) {
    shared_allocation shared;
    CHECK(flags == cudaIpcMemLazyEnablePeerAccess);
    if (call_fails(CALL_IPC_OPEN))
        return fail_with(cudaErrorMapBufferObjectFailed);
    memcpy(&shared, &handle, sizeof shared);
    CHECK(shared.device == *current_device());
    *memory = emulated_open(&shared);
    return *memory ? cudaSuccess : fail_with(cudaErrorInvalidValue);
}

cudaError_t cudaIpcCloseMemHandle(void *memory) {
    CHECK(emulated_close(memory));
    return cudaSuccess;
}

static CUresult get_address_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr within) {
    void *found;
    if (!emulated_range((const void *)(uintptr_t)within, &found, bytes))
        return CUDA_ERROR_NOT_FOUND;
    *base = (CUdeviceptr)(uintptr_t)found;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *how) {
    CUresult (*range)(CUdeviceptr *, size_t *, CUdeviceptr) = get_address_range;
    CHECK(strcmp(symbol, "cuMemGetAddressRange") == 0 && version >= 12000 &&
          flags == cudaEnableDefault);
    memcpy(function, &range, sizeof range);
    *how = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}
