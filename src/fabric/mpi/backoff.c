/* backoff.c - spins, yields, naps. Looks can be dear: time decides, not their number. */
#include "fabric/mpi/backoff.h"

#include "fabric/pause.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

/* In nanoseconds. */
enum { SPIN = 200000, YIELD = 50000, SHORTEST_NAP = 20000, LONGEST_NAP = 250000 };

bool sct_patience_crowd(int busy) {
    return busy > sysconf(_SC_NPROCESSORS_ONLN);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void sct_patience_pass(sct_patience *patience) {
    if (patience->nap_ns == 0) {
        int64_t spins = patience->crowded ? 0 : SPIN, at = now();
        if (patience->since_ns == 0)
            patience->since_ns = at;
        if (at - patience->since_ns < spins) {
            sct_pause();
            return;
        }
        if (at - patience->since_ns < spins + YIELD) {
            sched_yield();
            return;
        }
    }
    patience->nap_ns = patience->nap_ns ? 2 * patience->nap_ns : SHORTEST_NAP;
    patience->nap_ns = patience->nap_ns < LONGEST_NAP ? patience->nap_ns : LONGEST_NAP;
    nanosleep(&(struct timespec){.tv_nsec = (long)patience->nap_ns}, NULL);
}
