/* blas_threads.h - the number of BLAS threads: one per rank, unless the user sets it. */
#ifndef CLI_RANKS_BLAS_THREADS_H
#define CLI_RANKS_BLAS_THREADS_H

/* Restarts the program with the number set in the environment, where a BLAS reads it on loading.
 * Returns if it is set already, or cannot be. */
void blas_limit_threads(char **words);

/* The number in force; 0: unknown. */
int blas_threads(void);

#endif
