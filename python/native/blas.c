/* blas.c - the number of threads that each call of the BLAS uses.
 *
 * Weak, because another BLAS lacks these functions. The loader finds them in what libsectile uses.
 */
#include "blas.h"

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

int blas_threads(void) {
    return openblas_get_num_threads ? openblas_get_num_threads() : 0;
}

void blas_set_threads(int threads) {
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
}
