/* nvshmem.h - what the engine uses of NVSHMEM, in a build with it: nvshmem.cpp, or without: none.c.
 *
 * A process has one heap, of which the parts on all ranks are equally large. */
#ifndef SCT_DEVICE_CUDA_NVSHMEM_NVSHMEM_H
#define SCT_DEVICE_CUDA_NVSHMEM_NVSHMEM_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a group of ranks. */
typedef struct sct_nvshmem_id {
    char bytes[128];
} sct_nvshmem_id;

/* The first three return 0 on success. */
typedef struct sct_nvshmem {
    /* Makes the name of a new group, which its rank 0 then sends to the others. */
    int (*name)(sct_nvshmem_id *id);
    /* Collective: joins the group, with the current GPU. */
    int (*join)(int rank, int ranks, const sct_nvshmem_id *id);
    /* Collective. */
    int (*alloc)(size_t bytes, void **heap);
    /* Collective. The heap may be NULL. */
    void (*leave)(void *heap);
    /* Where this GPU finds an address of the heap of another rank; NULL: it does not reach it. */
    void *(*find)(void *address, int rank);
    /* Whether a rank is on this host. */
    bool (*beside)(int rank);
    /* Has a stream copy from there to the heap of this rank. */
    void (*get)(void *to, const void *from, size_t bytes, int rank, cudaStream_t stream);
} sct_nvshmem;

/* NULL: this build is without it. */
const sct_nvshmem *sct_nvshmem_functions(void);

#ifdef __cplusplus
}
#endif
#endif
