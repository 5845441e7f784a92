/* kernels.h - runs a kernel on the host. */
#ifndef TEST_CUDA_KERNELS_H
#define TEST_CUDA_KERNELS_H

#include "device/cuda/kernels.h"

/* Blocks of a grid, and threads of a block. */
typedef struct kernel_grid {
    unsigned across, down, wide, high;
} kernel_grid;

void kernel_run(void (*kernel)(sct_cuda_work), kernel_grid grid, sct_cuda_work work);

#endif
