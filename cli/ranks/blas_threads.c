/* blas_threads.c - the number of BLAS threads: one per rank, unless the user sets it. */
#include "ranks/blas_threads.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"};

void blas_limit_threads(char **words) {
    if (getenv(variables[0]) || getenv(variables[1]))
        return;
    if (setenv(variables[0], "1", 0) == 0 && setenv(variables[1], "1", 0) == 0)
        execv("/proc/self/exe", words);
}

int blas_threads(void) {
    /* OpenBLAS can be asked; for others the environment tells. Copied, since ISO C has no cast from
     * an object pointer to a function pointer. */
    int (*ask)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    const char *told = getenv(variables[1]);
    memcpy(&ask, &symbol, sizeof ask);
    return ask ? ask() : told ? atoi(told) : 0;
}
