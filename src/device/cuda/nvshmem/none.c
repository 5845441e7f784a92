/* none.c - for a build without NVSHMEM. */
#include "device/cuda/nvshmem/nvshmem.h"

const sct_nvshmem *sct_nvshmem_functions(void) {
    return NULL;
}
