/* backoff.c - spins, yields, then naps. Polls may be slow, so time decides rather than their
 * number. */
#include "fabric/backoff.h"

#include "base/clock.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

/* In nanoseconds. */
enum { SPIN = 200000, YIELD = 50000, SHORTEST_NAP = 20000, LONGEST_NAP = 250000 };

bool sct_backoff_is_crowded(int busy) {
    return busy > sysconf(_SC_NPROCESSORS_ONLN);
}

void sct_backoff_pass(sct_backoff *backoff) {
    if (backoff->nap_ns == 0) {
        int64_t spins = backoff->crowded ? 0 : SPIN, at = sct_now_ns();
        if (backoff->since_ns == 0)
            backoff->since_ns = at;
        if (at - backoff->since_ns < spins) {
            sct_pause();
            return;
        }
        if (at - backoff->since_ns < spins + YIELD) {
            sched_yield();
            return;
        }
    }
    backoff->nap_ns = backoff->nap_ns ? 2 * backoff->nap_ns : SHORTEST_NAP;
    backoff->nap_ns = backoff->nap_ns < LONGEST_NAP ? backoff->nap_ns : LONGEST_NAP;
    nanosleep(&(struct timespec){.tv_nsec = (long)backoff->nap_ns}, NULL);
}

enum { SHORTEST_US = 50, MANY = 8 };

static long nap_us(const sct_poll_interval *interval, sct_activity activity) {
    if (interval->nap_us == 0 || activity.small)
        return SHORTEST_US;
    if (activity.count == 0)
        return 2 * interval->nap_us;
    return activity.count < MANY ? interval->nap_us : interval->nap_us / 2;
}

void sct_poll_interval_rest(sct_poll_interval *interval, sct_activity activity, long longest_us) {
    if (interval->yields > 0) {
        interval->yields -= activity.count == 0;
        sched_yield();
        return;
    }
    long us = nap_us(interval, activity);
    us = us < SHORTEST_US ? SHORTEST_US : us < longest_us ? us : longest_us;
    interval->nap_us = us;
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}
