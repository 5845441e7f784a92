/* opened.h - GPUs for tests. */
#ifndef TEST_GPU_OPENED_H
#define TEST_GPU_OPENED_H

#include "device/cuda/cuda.h"

/* Opens the first GPU as so many devices, each for one user. Ends the test, which is then skipped,
 * if there is none. */
sct_cuda_context *opened_devices(int devices);

#endif
