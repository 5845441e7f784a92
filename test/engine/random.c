/* random.c - splitmix64, and random delays. */
#include "engine/random.h"

#include <sys/prctl.h>
#include <time.h>

uint64_t random_next(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void random_delay(uint64_t *state, int longest_us) {
    enum { SLEEPLESS_US = 10 }; /* to fall asleep and wake up takes as long */
    if (longest_us <= 0)
        return;
    uint64_t us = random_next(state) % ((uint64_t)longest_us + 1);
    if (us < SLEEPLESS_US)
        return;
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000) * 1000};
    prctl(PR_SET_TIMERSLACK, 1); /* the delay then takes little longer than it should */
    nanosleep(&time, NULL);
}
