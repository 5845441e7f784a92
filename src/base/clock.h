/* clock.h - the time of a clock that is never set back. */
#ifndef SCT_BASE_CLOCK_H
#define SCT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t sct_clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline int64_t sct_now_ns(void) {
    return sct_clock_ns(CLOCK_MONOTONIC);
}

/* The same to a few milliseconds, at a fraction of the cost. */
static inline int64_t sct_now_coarse_ns(void) {
    return sct_clock_ns(CLOCK_MONOTONIC_COARSE);
}

#endif
