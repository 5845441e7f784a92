/* nvshmem.h - what the engine uses of NVSHMEM, in a build with it: nvshmem.cu, or without: none.c.
 *
 * A process has one heap, of which the parts on all ranks are equally large. */
#ifndef SCT_DEVICE_CUDA_NVSHMEM_NVSHMEM_H
#define SCT_DEVICE_CUDA_NVSHMEM_NVSHMEM_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a group of ranks. */
typedef struct sct_nvshmem_id {
    char bytes[128];
} sct_nvshmem_id;

/* Whether this build has it. */
int sct_nvshmem_exists(void);

/* These three return 0 on success. */
/* Makes the name of a new group, which its rank 0 then sends to the others. */
int sct_nvshmem_name(sct_nvshmem_id *id);
/* Collective: joins the group, with the current GPU. */
int sct_nvshmem_join(int rank, int ranks, const sct_nvshmem_id *id);
/* Collective. */
int sct_nvshmem_alloc(size_t bytes, void **heap);
/* Collective. */
void sct_nvshmem_leave(void *heap);

/* Where this GPU finds an address of the heap of another rank; NULL: it does not reach it. */
void *sct_nvshmem_find(void *address, int rank);
/* Has a stream copy from there to the heap of this rank. */
void sct_nvshmem_get(void *to, const void *from, size_t bytes, int rank, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
