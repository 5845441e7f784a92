/* slabs.h - the memory of a device: slabs, which are allocated once and dealt out in pieces, as
 * allocating from CUDA takes long, and freeing waits for all work of the GPU. */
#ifndef SCT_DEVICE_CUDA_SLABS_H
#define SCT_DEVICE_CUDA_SLABS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a slab. */
typedef struct sct_cuda_piece {
    char *base;
    size_t bytes;
    bool used;
    bool first; /* a slab begins here */
} sct_cuda_piece;

typedef struct sct_cuda_slabs {
    pthread_mutex_t lock;  /* the rank allocates, and so may its service for the streams it uses */
    sct_cuda_piece *piece; /* in ascending order */
    int64_t count, room;
    bool only; /* there is one slab, and there will be no other */
    bool lent; /* that one belongs to somebody else */
} sct_cuda_slabs;

/* For the current GPU. NULL: out of memory. */
void *sct_cuda_slabs_alloc(sct_cuda_slabs *slabs, size_t bytes);
void sct_cuda_slabs_release(sct_cuda_slabs *slabs, void *memory);
/* Before there are slabs: allocates the only one. False: out of memory. */
bool sct_cuda_slabs_reserve(sct_cuda_slabs *slabs, size_t bytes);
/* Has all memory come from this. False: out of memory, or there are slabs already. */
bool sct_cuda_slabs_lend(sct_cuda_slabs *slabs, void *base, size_t bytes);
/* Frees all of them; there will be no more. */
void sct_cuda_slabs_clear(sct_cuda_slabs *slabs);

#endif
