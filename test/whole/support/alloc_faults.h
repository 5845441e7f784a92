/* alloc_faults.h - makes chosen allocations and thread creations fail, and counts allocated bytes,
 * in programs where the linker wraps malloc and the like, and free. */
#ifndef TEST_ALLOC_FAULTS_H
#define TEST_ALLOC_FAULTS_H

#include <sectile/sectile.h>

#include <stdatomic.h>
#include <stdbool.h>

/* How many allocations of this thread succeed before one fails. Negative: none fails, as after one
 * has failed. */
extern _Thread_local long alloc_countdown;

/* The bytes that this thread has allocated so far, including those it has freed. */
extern _Thread_local size_t alloc_bytes;

/* The bytes that all threads have allocated and not freed, and the most so far, which a test may
 * set back. What the C library allocates for itself does not count. */
extern atomic_long alloc_held, alloc_peak;

/* Counts one allocation; returns whether it must fail. */
bool alloc_fails_now(void);

/* Whether this is the error of a failed allocation or thread creation. */
bool is_alloc_failure(sct_status status, const char *reason);

/* Repeats a call while its n-th allocation or thread creation fails, for n = 1, 2, ... until there
 * is no n-th. Each time the call fails; at last it works. */
void alloc_fail_each(const char *text, sct_status (*call)(const char *text));

#endif
