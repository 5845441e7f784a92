/* blas_threads.h - the threads of the BLAS that is loaded: one to a rank, unless the user says how
 * many. */
#ifndef CLI_RANKS_BLAS_THREADS_H
#define CLI_RANKS_BLAS_THREADS_H

/* Starts the program once more, with `words`, if the number is not set yet: a BLAS reads it when
 * it is loaded. Returns if it is set, or cannot be. */
void blas_limit_threads(char **words);

/* The number in force; 0 if it is not known. */
int blas_threads(void);

#endif
