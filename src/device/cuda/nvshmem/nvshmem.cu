/* nvshmem.cu - NVSHMEM, by the functions of its library for the host.
 *
 * Its headers are for C++. This is written in the part of C++ that is also C, so that tests can
 * compile it with stand-ins. */
#include "device/cuda/nvshmem/nvshmem.h"

#include <nvshmem_host.h>
#include <string.h>

int sct_nvshmem_exists(void) {
    return 1;
}

int sct_nvshmem_name(sct_nvshmem_id *id) {
    nvshmemx_uniqueid_t name = NVSHMEMX_UNIQUEID_INITIALIZER;
    int error = nvshmemx_get_uniqueid(&name);
    memcpy(id, &name, sizeof name);
    return error;
}

/* Not by nvshmemx_init_attr, which ends the process if it fails. */
int sct_nvshmem_join(int rank, int ranks, const sct_nvshmem_id *id) {
    nvshmemx_init_attr_t how = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t name = NVSHMEMX_UNIQUEID_INITIALIZER;
    memcpy(&name, id, sizeof name);
    int error = nvshmemx_set_attr_uniqueid_args(rank, ranks, &name, &how);
    return error ? error : nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &how);
}

int sct_nvshmem_alloc(size_t bytes, void **heap) {
    *heap = nvshmem_malloc(bytes);
    return *heap == NULL;
}

void sct_nvshmem_leave(void *heap) {
    if (heap)
        nvshmem_free(heap);
    nvshmemx_hostlib_finalize();
}

void *sct_nvshmem_find(void *address, int rank) {
    return nvshmem_ptr(address, rank);
}

void sct_nvshmem_get(void *to, const void *from, size_t bytes, int rank, cudaStream_t stream) {
    nvshmemx_getmem_on_stream(to, from, bytes, rank, stream);
}
