/* clock.h - the time of a clock that is never set back; and a deadline by it: how long a rank
 * waits for the others while a world starts. */
#ifndef SCT_BASE_CLOCK_H
#define SCT_BASE_CLOCK_H

#include "base/status.h"

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

/* The limit of a deadline, unless the setting SECTILE_START_SECONDS is another; 0: none. */
enum { SCT_START_SECONDS = 3600 };
/* A rank that has waited so long mentions it in the log, once: a mistake is likely. */
enum { SCT_LONG_WAIT_S = 5 };

typedef struct sct_deadline {
    int seconds;
    int64_t end_ms;
} sct_deadline;

/* Fails if SECTILE_START_SECONDS is set to anything but a whole number of seconds. */
sct_status sct_deadline_check(void);
/* Starts the limit of the environment; the default one if that is invalid, since the rank still
 * has to report it to the others. */
SCT_API sct_deadline sct_deadline_begin(void);
/* The same with another limit; 0: none. */
SCT_API sct_deadline sct_deadline_for(int seconds);
/* The end of so many seconds, or of another deadline, if that comes first. */
sct_deadline sct_deadline_within(const sct_deadline *limit, int seconds);
/* The milliseconds that are left, 0 at the end; -1: there is no end. */
SCT_API int sct_deadline_left_ms(const sct_deadline *deadline);
/* The failure of a rank whose deadline has passed. */
SCT_API sct_status sct_deadline_failure(const sct_deadline *deadline);

#endif
