/* kernels.c - the kernels themselves, compiled for the host. */
#include "cuda/as_host/cuda_fp16.h"

_Thread_local kernel_index blockIdx, threadIdx, blockDim, gridDim;

#include "device/cuda/kernels.cu"

#include "cuda/kernels.h"

static void run_block(void (*kernel)(sct_cuda_work), sct_cuda_work work) {
    for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
            kernel(work);
}

void kernel_run(void (*kernel)(sct_cuda_work), kernel_grid grid, sct_cuda_work work) {
    gridDim.x = grid.across;
    gridDim.y = grid.down;
    blockDim.x = grid.wide;
    blockDim.y = grid.high;
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
        for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
            run_block(kernel, work);
}
