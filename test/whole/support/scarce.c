/* scarce.c - the functions to which the linker sends malloc and its like (test/CMakeLists.txt). */
#include "whole/support/scarce.h"

#include <cblas.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Thread_local long scarce_left = -1;
_Thread_local size_t scarce_asked;

bool scarce_fails(void) {
    return scarce_left >= 0 && scarce_left-- == 0;
}

/* Whether so many bytes are not to be had. */
static bool lacks(size_t bytes) {
    scarce_asked += bytes;
    return scarce_fails();
}

bool scarce_told(sct_status status, const char *reason) {
    return status == SCT_NO_MEMORY || (status == SCT_FAILED && strstr(reason, "thread"));
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);

void *__wrap_malloc(size_t bytes) {
    return lacks(bytes) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return lacks(count * bytes) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
    return lacks(bytes) ? NULL : __real_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return lacks(bytes) ? NULL : __real_aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes) {
    return lacks(bytes) ? ENOMEM : __real_posix_memalign(memory, alignment, bytes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg) {
    return scarce_fails() ? EAGAIN : __real_pthread_create(thread, attributes, start, arg);
}

/* What a BLAS allocates is its own affair. */
void __real_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc);
void __wrap_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc);

void __wrap_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc) {
    long kept = scarce_left;
    size_t asked = scarce_asked;
    scarce_left = -1;
    __real_cblas_dgemm(order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    scarce_left = kept;
    scarce_asked = asked;
}
