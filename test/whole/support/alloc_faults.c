/* alloc_faults.c - the functions that replace malloc and the like (see test/CMakeLists.txt). */
#include "whole/support/alloc_faults.h"

#include "support/check.h"

#include <cblas.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Thread_local long alloc_countdown = -1;
_Thread_local size_t alloc_bytes;
atomic_long alloc_held, alloc_peak;

bool alloc_fails_now(void) {
    return alloc_countdown >= 0 && alloc_countdown-- == 0;
}

/* Counts the bytes; returns whether the allocation must fail. */
static bool allocation_fails(size_t bytes) {
    alloc_bytes += bytes;
    return alloc_fails_now();
}

static void *held(void *memory) {
    long now = (long)malloc_usable_size(memory);
    now += atomic_fetch_add(&alloc_held, now);
    long peak = atomic_load(&alloc_peak);
    while (now > peak && !atomic_compare_exchange_weak(&alloc_peak, &peak, now))
        continue;
    return memory;
}

static void release(void *memory) {
    atomic_fetch_sub(&alloc_held, (long)malloc_usable_size(memory));
}

bool is_alloc_failure(sct_status status, const char *reason) {
    return status == SCT_NO_MEMORY || (status == SCT_FAILED && strstr(reason, "thread"));
}

void alloc_fail_each(const char *text, sct_status (*call)(const char *text)) {
    enum { MOST = 5000 }; /* exceeds the allocations of any call */
    bool reached = true;
    long n = 0;
    for (; n < MOST && reached; n++) {
        alloc_countdown = n;
        sct_status status = call(text);
        reached = alloc_countdown < 0;
        alloc_countdown = -1;
        CHECK_CASE(reached ? is_alloc_failure(status, sct_last_reason()) : status == SCT_OK,
                   "%s, allocation %ld: %s (%s)", text, n, sct_status_name(status),
                   status ? sct_last_reason() : "");
    }
    CHECK_CASE(n > 1 && n < MOST, "%s: %ld allocations", text, n);
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void **memory, size_t alignment, size_t bytes);
void __real_free(void *memory);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes);
void __wrap_free(void *memory);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg);

void *__wrap_malloc(size_t bytes) {
    return allocation_fails(bytes) ? NULL : held(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes) {
    return allocation_fails(count * bytes) ? NULL : held(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes) {
    if (allocation_fails(bytes))
        return NULL;
    release(memory);
    void *moved = __real_realloc(memory, bytes);
    return held(moved ? moved : memory);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
    return allocation_fails(bytes) ? NULL : held(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes) {
    if (allocation_fails(bytes))
        return ENOMEM;
    int failure = __real_posix_memalign(memory, alignment, bytes);
    if (!failure)
        (void)held(*memory);
    return failure;
}

void __wrap_free(void *memory) {
    release(memory);
    __real_free(memory);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *arg) {
    return alloc_fails_now() ? EAGAIN : __real_pthread_create(thread, attributes, start, arg);
}

/* Allocations inside the BLAS do not count. */
void __real_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc);
void __wrap_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc);

void __wrap_cblas_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, int m, int n,
                        int k, double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc) {
    long kept = alloc_countdown;
    size_t asked = alloc_bytes;
    alloc_countdown = -1;
    __real_cblas_dgemm(order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    alloc_countdown = kept;
    alloc_bytes = asked;
}
