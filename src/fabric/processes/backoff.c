/* backoff.c - spins, yields, then naps. Polls may be slow, so time decides rather than their
 * number. */
#include "fabric/processes/backoff.h"

#include "base/clock.h"
#include "fabric/pause.h"

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
