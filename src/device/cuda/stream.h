/* stream.h - a device of CUDA, and its streams. */
#ifndef SCT_DEVICE_CUDA_STREAM_H
#define SCT_DEVICE_CUDA_STREAM_H

#include "device/cuda/context.h"
#include "device/cuda/slabs.h"

#include <cublas_v2.h>

enum { SCT_CUDA_EVENTS = 64 };

typedef struct sct_cuda_device {
    sct_device base;
    sct_cuda_context *context;
    int id;       /* its number of CUDA */
    int major;    /* of its compute capability */
    int priority; /* the highest of kernels */
    bool tf32;    /* f32 products may round their factors to TF32 */
    sct_cuda_slabs slabs;
    sct_stream *idle; /* closed streams, whose events may still be used */
} sct_cuda_device;

/* Ticket t stands for all commands before it, and has the event t % SCT_CUDA_EVENTS as long as that
 * is not recorded again; an older ticket is reached when the oldest event is. */
struct sct_stream {
    sct_cuda_device *device;
    sct_stream *next_idle;
    cudaStream_t stream;
    cublasHandle_t blas;  /* NULL until the first product */
    void *blas_workspace; /* belongs to this stream, as products of others run at the same time */
    bool marked;          /* nothing was submitted after the last event */
    pthread_mutex_t lock; /* of what follows, which other ranks read */
    cudaError_t failure;  /* of recording an event, so that nothing can be waited for any more */
    uint64_t tickets;
    cudaEvent_t event[SCT_CUDA_EVENTS]; /* ring */
};

sct_status sct_cuda_submit(sct_stream *stream, const sct_command *command);

/* Submits a product of f32, f64, cf32 or cf64 by cuBLAS. */
sct_status sct_cuda_gemm(sct_stream *stream, sct_type type, const sct_gemm_work *work);
/* What the products of a stream need. */
void sct_cuda_gemm_clear(sct_stream *stream);

#endif
