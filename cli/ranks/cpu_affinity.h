/* cpu_affinity.h - the cores that the ranks run on. */
#ifndef CLI_RANKS_CPU_AFFINITY_H
#define CLI_RANKS_CPU_AFFINITY_H

#include "ranks/rank_group.h"

#include <sched.h>

struct cpu_affinity {
    bool spread;        /* ranks are processes, which mpiexec may have given different cores */
    cpu_set_t here;     /* cores of all processes on this host, if `spread` */
    bool crowded;       /* some host has more ranks than cores */
    int cores_per_rank; /* of this host; at least 1 */
};

/* The number of cores that this process may run on; at least 1. */
int cpu_affinity_cores(void);

/* Collective in the sense of rank_group.h. */
enum code cpu_affinity_gather(struct rank_group *group, enum code code,
                              struct cpu_affinity *affinity);

#endif
