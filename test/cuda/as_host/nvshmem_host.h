/* nvshmem_host.h - what nvshmem.cpp uses of NVSHMEM, for a compiler of C: so that it runs on
 * stand-ins. */
#ifndef TEST_CUDA_NVSHMEM_HOST_H
#define TEST_CUDA_NVSHMEM_HOST_H

#include <cuda_runtime_api.h>
#include <stddef.h>

typedef struct nvshmemx_uniqueid {
    char bytes[128];
} nvshmemx_uniqueid_t;

typedef struct nvshmemx_init_attr {
    int rank, ranks;
    nvshmemx_uniqueid_t name;
} nvshmemx_init_attr_t;

enum { NVSHMEMX_INIT_WITH_UNIQUEID = 8 };

typedef int nvshmem_team_t;
enum { NVSHMEM_TEAM_WORLD = 0, NVSHMEMX_TEAM_NODE = 2 };

#define NVSHMEMX_UNIQUEID_INITIALIZER \
    {                                 \
        { 0 }                         \
    }
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
    { 0, 0, NVSHMEMX_UNIQUEID_INITIALIZER }

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *name);
int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t *name,
                                    nvshmemx_init_attr_t *how);
int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t *how);
void nvshmemx_hostlib_finalize(void);
void *nvshmem_malloc(size_t bytes);
void nvshmem_free(void *memory);
void *nvshmem_ptr(const void *address, int rank);
int nvshmem_team_translate_pe(nvshmem_team_t from, int rank, nvshmem_team_t to);
void nvshmemx_getmem_on_stream(void *to, const void *from, size_t bytes, int rank,
                               cudaStream_t stream);

#endif
