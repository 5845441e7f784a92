/* poll_interval.c - yields, then naps that follow what comes. */
#include "fabric/service/poll_interval.h"

#include <sched.h>
#include <time.h>

enum { SHORTEST_US = 50, MANY = 8 };

static long nap_us(const sct_pace *pace, sct_activity activity) {
    if (pace->nap_us == 0 || activity.small)
        return SHORTEST_US;
    if (activity.count == 0)
        return 2 * pace->nap_us;
    return activity.count < MANY ? pace->nap_us : pace->nap_us / 2;
}

void sct_pace_rest(sct_pace *pace, sct_activity activity, long longest_us) {
    if (pace->yields > 0) {
        pace->yields -= activity.count == 0;
        sched_yield();
        return;
    }
    long us = nap_us(pace, activity);
    us = us < SHORTEST_US ? SHORTEST_US : us < longest_us ? us : longest_us;
    pace->nap_us = us;
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}
