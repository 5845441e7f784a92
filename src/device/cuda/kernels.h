/* kernels.h - the kernels of kernels.cu: each does one command of device.h on a strided block. */
#ifndef SCT_DEVICE_CUDA_KERNELS_H
#define SCT_DEVICE_CUDA_KERNELS_H

#include <stdint.h>

#ifdef __CUDACC__
#define SCT_CUDA_KERNEL __global__
#else
#define SCT_CUDA_KERNEL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a block. */
enum { SCT_CUDA_MOST_THREADS = 512 };

/* What a kernel does. Lengths and leading dimensions are in elements, of which each has `parts`
 * real parts of `bytes` bytes. In a copy and an addition, the real parts are the elements. */
typedef struct sct_cuda_work {
    const void *from;
    void *to;
    int64_t from_ld, to_ld, lines, count;
    int bytes, parts;
    int conjugate;    /* real parts of odd index are negated */
    int atomic;       /* an addition of system scope */
    int quads;        /* four floats are added at once */
    int bf16, narrow; /* a conversion: of bf16, otherwise f16; from f32, otherwise to it */
    int zero;         /* the factor is zero: `to` is not read */
    double re, im;    /* the factor */
} sct_cuda_work;

SCT_CUDA_KERNEL void sct_cuda_copy_kernel(sct_cuda_work work);
SCT_CUDA_KERNEL void sct_cuda_transpose_kernel(sct_cuda_work work);
SCT_CUDA_KERNEL void sct_cuda_add_kernel(sct_cuda_work work);
SCT_CUDA_KERNEL void sct_cuda_scale_kernel(sct_cuda_work work);
SCT_CUDA_KERNEL void sct_cuda_convert_kernel(sct_cuda_work work);

#ifdef __cplusplus
}
#endif
#endif
