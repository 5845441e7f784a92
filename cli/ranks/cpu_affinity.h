/* cpu_affinity.h - on which cores the ranks run. */
#ifndef CLI_RANKS_CPU_AFFINITY_H
#define CLI_RANKS_CPU_AFFINITY_H

#include "ranks/rank_group.h"

#include <sched.h>

struct seats {
    bool spread;    /* by MPI: each process may have been given cores of its own */
    cpu_set_t here; /* those of all processes on this host */
    bool crowded;   /* more ranks than cores, on some host */
};

/* Collective, as functions of the team are. */
enum code seats_gather(struct team *team, enum code code, struct seats *seats);

#endif
