/* symmetric.h - the memory of a device as a part of a heap of NVSHMEM, of which each rank has a
 * part, so that GPUs of other hosts can read it.
 *
 * Memory that another rank has shared is attached under an address that stands for it. If NVSHMEM
 * reaches it, and it is of a GPU of this process or of another host, that is a real one. Otherwise
 * it is in a window: addresses that nobody can use, and that moves know. */
#ifndef SCT_DEVICE_CUDA_SYMMETRIC_H
#define SCT_DEVICE_CUDA_SYMMETRIC_H

#include "device/cuda/nvshmem/nvshmem.h"
#include "device/cuda/stream.h"

/* Where the part of a rank has been attached: in memory of a GPU, or in a window. NULL: nowhere
 * yet.
 */
typedef struct sct_cuda_part {
    char *base, *window;
    sct_cuda_gpu *gpu; /* which adds to it: its own, or that of this rank */
} sct_cuda_part;

struct sct_cuda_symmetric {
    const sct_nvshmem *nvshmem;
    sct_cuda_device *device;
    bool joined;
    char *heap; /* the part of this rank */
    size_t bytes;
    int rank, ranks;
    char *bounce; /* in the heap: for moves to other memory */
    cudaEvent_t emptied;
    pthread_mutex_t bouncing; /* lock of the bounce buffer */
    pthread_mutex_t lock; /* of calls of NVSHMEM, which takes one at a time, and of what follows */
    sct_cuda_part part[]; /* by rank */
};

/* Like sct_cuda_find_gpu, also for memory of other ranks. */
cudaError_t sct_cuda_find_owner(const sct_cuda_device *device, const void *memory,
                                sct_cuda_gpu **gpu);
/* The rank in whose window this is, and where its memory is in the heap; -1: none. */
int sct_cuda_symmetric_rank(sct_cuda_symmetric *self, const void *memory, size_t *offset);
/* Submits a move from a window. */
sct_status sct_cuda_symmetric_move(sct_stream *stream, const sct_strided_work *work, int rank,
                                   size_t offset);

bool sct_cuda_symmetric_share(const sct_cuda_symmetric *self, const void *memory, size_t bytes,
                              sct_memory_handle *handle);
void *sct_cuda_symmetric_attach(sct_cuda_symmetric *self, const sct_memory_handle *handle);
/* Collective. */
void sct_cuda_symmetric_close(sct_cuda_symmetric *self);

#endif
