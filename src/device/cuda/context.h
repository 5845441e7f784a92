/* context.h - what the devices of one world share: which GPUs there are, and what they can do with
 * each other's memory. */
#ifndef SCT_DEVICE_CUDA_CONTEXT_H
#define SCT_DEVICE_CUDA_CONTEXT_H

#include "device/group.h"

#include <cuda_runtime_api.h>

enum { SCT_CUDA_MOST_DEVICES = 64, SCT_CUDA_SLOTS = 4 };

/* Where a GPU finds contributions of others, which it adds one after another: a ring of slots.
 * While one is emptied, others are filled, so that the GPU need not wait for a copy to begin. */
typedef struct sct_cuda_mailbox {
    pthread_mutex_t lock;
    char *memory; /* NULL until it is needed */
    cudaStream_t adds;
    cudaEvent_t emptied[SCT_CUDA_SLOTS];
    int last; /* slot that was filled last */
} sct_cuda_mailbox;

typedef struct sct_cuda_gpu {
    int id;       /* its number of CUDA */
    int major;    /* of its compute capability */
    int priority; /* the highest of kernels */
    cudaUUID_t uuid;
    sct_cuda_mailbox mailbox;
} sct_cuda_gpu;

typedef struct sct_cuda_context {
    sct_device_group group;
    sct_cuda_gpu *listed[SCT_CUDA_MOST_DEVICES]; /* a GPU may be listed more than once */
    int gpus;
    sct_cuda_gpu gpu[SCT_CUDA_MOST_DEVICES];
    bool peers;  /* GPUs can use each other's memory */
    bool direct; /* and make atomic additions to it */
} sct_cuda_context;

/* Chooses devices by a list such as "0,2" of their numbers; NULL: all. Fails with SCT_NO_ENGINE if
 * there is none. */
sct_status sct_cuda_context_create(const char *list, int users, sct_cuda_context **context);
/* Fills in the devices. */
sct_status sct_cuda_choose_devices(const char *list, sct_cuda_context *context);

/* Finds the GPU whose memory this is; NULL: the host's, or that of no device of the context. */
cudaError_t sct_cuda_find_gpu(sct_cuda_context *context, const void *memory, sct_cuda_gpu **gpu);

/* NULL: the context has no such GPU. */
sct_cuda_gpu *sct_cuda_gpu_named(sct_cuda_context *context, const cudaUUID_t *name);

void sct_cuda_mailbox_close(sct_cuda_gpu *gpu);

/* SCT_OK if `error` is cudaSuccess; otherwise fails and says what could not be done, and why. */
sct_status sct_cuda_check(cudaError_t error, const char *what);

#endif
