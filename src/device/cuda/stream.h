/* stream.h - a device of CUDA, and its streams. */
#ifndef SCT_DEVICE_CUDA_STREAM_H
#define SCT_DEVICE_CUDA_STREAM_H

#include "device/cuda/context.h"
#include "device/cuda/slabs.h"
#include "device/streams.h"

#include <cublas_v2.h>

enum { SCT_CUDA_EVENTS = 64 };

/* Memory of another process. */
typedef struct sct_cuda_attached sct_cuda_attached;
typedef struct sct_cuda_symmetric sct_cuda_symmetric;

typedef struct sct_cuda_device {
    sct_device base;
    sct_cuda_context *context;
    sct_cuda_gpu *gpu;
    bool tf32;        /* f32 products may round their factors to TF32 */
    bool mailbox;     /* contributions to other GPUs go into their mailboxes */
    cudaEvent_t user; /* of a stream of the user's; NULL until it is needed */
    sct_cuda_slabs slabs;
    sct_cuda_attached *attached;
    sct_cuda_symmetric *symmetric; /* NULL: NVSHMEM is not used */
    sct_idle_streams idle;
} sct_cuda_device;

/* Ticket t stands for all commands before it, and has the event t % SCT_CUDA_EVENTS as long as that
 * is not recorded again; an older ticket is reached when the oldest event is. */
struct sct_stream {
    sct_idle idle;
    sct_cuda_device *device;
    cudaStream_t stream;
    cublasHandle_t blas;  /* NULL until the first product */
    void *blas_workspace; /* belongs to this stream, as products of others run at the same time */
    char *buffer;         /* of this stream as well, see two_steps.h; NULL until it is needed */
    bool marked;          /* nothing was submitted after the last event */
    uint64_t caught_up;   /* see sct_device_catch_up */
    pthread_mutex_t lock; /* of what follows, which other ranks read */
    cudaError_t failure;  /* of recording an event, so that nothing can be waited for any more */
    uint64_t tickets;
    cudaEvent_t event[SCT_CUDA_EVENTS]; /* ring */
};

/* The functions of sct_device_ops. */
bool sct_cuda_share(sct_device *device, const void *memory, size_t bytes,
                    sct_memory_handle *handle);
void *sct_cuda_attach(sct_device *device, const sct_memory_handle *handle);
void sct_cuda_detach(sct_device *device, void *memory);
sct_status sct_cuda_submit(sct_stream *stream, const sct_command *command);

/* Submits a move. */
sct_status sct_cuda_move(sct_stream *stream, const sct_strided_work *work);
/* Submits an addition, atomic or not, to a queue of a GPU. */
sct_status sct_cuda_add(cudaStream_t queue, const sct_cuda_gpu *gpu, sct_type type,
                        const sct_strided_work *work);
/* Submits an atomic addition to memory of another GPU by way of its mailbox. */
sct_status sct_cuda_mail(sct_stream *stream, sct_cuda_gpu *owner, sct_type type,
                         const sct_strided_work *work);
/* Submits a product by cuBLAS. */
sct_status sct_cuda_gemm(sct_stream *stream, sct_type type, const sct_gemm_work *work);
/* Frees what the products of a stream needed. */
void sct_cuda_gemm_clear(sct_stream *stream);

/* Has a queue follow an event. */
cudaError_t sct_cuda_lead(sct_event event, cudaStream_t queue);

#endif
