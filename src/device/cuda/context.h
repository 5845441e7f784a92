/* context.h - what the devices of one world share: which GPUs there are, and what they can do with
 * each other's memory. */
#ifndef SCT_DEVICE_CUDA_CONTEXT_H
#define SCT_DEVICE_CUDA_CONTEXT_H

#include "device/device.h"

#include <cuda_runtime_api.h>
#include <pthread.h>

enum { SCT_CUDA_MOST_DEVICES = 64 };

typedef struct sct_cuda_context {
    int count;
    int id[SCT_CUDA_MOST_DEVICES]; /* numbers of CUDA; a GPU may be listed more than once */
    bool peers;                    /* all can use each other's memory */
    pthread_mutex_t lock;          /* of what follows */
    int users;
} sct_cuda_context;

/* Chooses devices by a list such as "0,2" of their numbers; NULL: all. Fails with SCT_NO_ENGINE if
 * there is none. */
sct_status sct_cuda_context_create(const char *list, int users, sct_cuda_context **context);
/* For so many of its users, the last of which frees it. */
void sct_cuda_context_leave(sct_cuda_context *context, int users);
/* Fills in the devices. */
sct_status sct_cuda_choose_devices(const char *list, sct_cuda_context *context);

/* SCT_OK if `error` is cudaSuccess; otherwise fails and says what could not be done, and why. */
sct_status sct_cuda_check(cudaError_t error, const char *what);

#endif
