/* blas_memory.c - see blas_memory.h. OpenBLAS takes a buffer in its first product, and where that
 * fails tries again for ever. So the buffer is taken first, if there is room for it; whatever fails
 * later can be reported. */
#include "scalapack/blas_memory.h"

#include <sectile/sectile_tiles.h>

#include <stdlib.h>
#include <sys/mman.h>

/* More than the buffer of 128 MiB; and a product that is too large to be made without it. */
enum { ROOM = 160 << 20, SIZE = 128 };

bool sct_blas_memory_take(void) {
    const double one = 1, zero = 0;
    void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return false;
    munmap(room, ROOM);
    double *memory = calloc((size_t)SIZE * SIZE, 3 * sizeof *memory);
    if (!memory)
        return false;
    sct_block block[3];
    for (int i = 0; i < 3; i++)
        block[i] = (sct_block){
            .data = memory + (size_t)i * SIZE * SIZE, .ld = SIZE, .rows = SIZE, .cols = SIZE};
    sct_status status =
        sct_gemm_local(SCT_F64, SCT_N, SCT_N, &one, &block[0], &block[1], &zero, &block[2]);
    free(memory);
    return status == SCT_OK;
}
