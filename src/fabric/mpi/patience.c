/* patience.c - spins, yields, naps. */
#include "fabric/mpi/patience.h"

#include "fabric/pause.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 1000, YIELDS = 20, SHORTEST_NAP = 20000, LONGEST_NAP = 250000 };

int sct_patience_spins(int busy) {
    return busy <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
}

void sct_patience_pass(sct_patience *patience) {
    if (patience->looks < patience->spins + YIELDS) {
        if (patience->looks++ < patience->spins)
            sct_pause();
        else
            sched_yield();
        return;
    }
    patience->nap_ns = patience->nap_ns ? 2 * patience->nap_ns : SHORTEST_NAP;
    patience->nap_ns = patience->nap_ns < LONGEST_NAP ? patience->nap_ns : LONGEST_NAP;
    struct timespec time = {.tv_nsec = patience->nap_ns};
    nanosleep(&time, NULL);
}
