/* none.c - for a build without NVSHMEM: nothing can be joined. */
#include "device/cuda/nvshmem/nvshmem.h"

enum { NONE = 1 };

int sct_nvshmem_exists(void) {
    return 0;
}

int sct_nvshmem_name(sct_nvshmem_id *id) {
    (void)id;
    return NONE;
}

int sct_nvshmem_join(int rank, int ranks, const sct_nvshmem_id *id) {
    (void)rank;
    (void)ranks;
    (void)id;
    return NONE;
}

int sct_nvshmem_alloc(size_t bytes, void **heap) {
    (void)bytes;
    (void)heap;
    return NONE;
}

void sct_nvshmem_leave(void *heap) {
    (void)heap;
}

void *sct_nvshmem_find(void *address, int rank) {
    (void)address;
    (void)rank;
    return NULL;
}

void sct_nvshmem_get(void *to, const void *from, size_t bytes, int rank, cudaStream_t stream) {
    (void)to;
    (void)from;
    (void)bytes;
    (void)rank;
    (void)stream;
}
