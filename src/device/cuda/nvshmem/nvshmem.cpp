/* nvshmem.cpp - NVSHMEM, by the functions of its library for the host.
 *
 * Its headers are for C++. This is written in the part of C++ that is also C, so that tests can
 * compile it with stand-ins. */
#include "device/cuda/nvshmem/nvshmem.h"

#include <nvshmem_host.h>
#include <string.h>

static int name(sct_nvshmem_id *id) {
    nvshmemx_uniqueid_t group = NVSHMEMX_UNIQUEID_INITIALIZER;
    int error = nvshmemx_get_uniqueid(&group);
    memcpy(id, &group, sizeof group);
    return error;
}

/* Not by nvshmemx_init_attr, which ends the process if it fails. */
static int join(int rank, int ranks, const sct_nvshmem_id *id) {
    nvshmemx_init_attr_t how = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t group = NVSHMEMX_UNIQUEID_INITIALIZER;
    memcpy(&group, id, sizeof group);
    int error = nvshmemx_set_attr_uniqueid_args(rank, ranks, &group, &how);
    return error ? error : nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &how);
}

static int alloc(size_t bytes, void **heap) {
    *heap = nvshmem_malloc(bytes);
    return *heap == NULL;
}

static void leave(void *heap) {
    if (heap)
        nvshmem_free(heap);
    nvshmemx_hostlib_finalize();
}

static void *find(void *address, int rank) {
    return nvshmem_ptr(address, rank);
}

static bool is_beside(int rank) {
    return nvshmem_team_translate_pe(NVSHMEM_TEAM_WORLD, rank, NVSHMEMX_TEAM_NODE) >= 0;
}

static void get_bytes(void *to, const void *from, size_t bytes, int rank, cudaStream_t stream) {
    nvshmemx_getmem_on_stream(to, from, bytes, rank, stream);
}

const sct_nvshmem *sct_nvshmem_functions(void) {
    static const sct_nvshmem functions = {name, join, alloc, leave, find, is_beside, get_bytes};
    return &functions;
}
