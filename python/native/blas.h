/* blas.h - the number of threads that each call of the BLAS uses. */
#ifndef PYTHON_BLAS_H
#define PYTHON_BLAS_H

/* Returns the number; 0: unknown, because the BLAS is not OpenBLAS. */
int blas_threads(void);
/* Sets the number, if the BLAS is OpenBLAS. */
void blas_set_threads(int threads);

#endif
