/* poll_interval.c - yields first, then naps that adapt to the traffic. */
#include "fabric/service/poll_interval.h"

#include <sched.h>
#include <time.h>

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
