/* cpu_affinity.c - the cores that the ranks run on. */
#include "ranks/cpu_affinity.h"

#include "ranks/system.h"

#include <stdlib.h>
#include <string.h>

/* Where one process runs. */
struct seat {
    char host[SYSTEM_HOST];
    int cores;
    cpu_set_t cpus;
};

static struct seat own_seat(void) {
    struct seat seat = {.cores = system_cores()};
    system_host(seat.host);
    if (sched_getaffinity(0, sizeof seat.cpus, &seat.cpus) != 0)
        CPU_ZERO(&seat.cpus);
    return seat;
}

/* The cores for each of so many ranks; 1 if unknown. */
static int share_cores(const cpu_set_t *cores, int ranks) {
    int count = CPU_COUNT(cores);
    return ranks > 0 && count > ranks ? count / ranks : 1;
}

int cpu_affinity_cores(void) {
    struct seat seat = own_seat();
    int count = CPU_COUNT(&seat.cpus);
    return count > 0 ? count : seat.cores;
}

/* The number of processes on the host of this one. */
static int count_neighbours(const struct seat *all, int count, const struct seat *one) {
    int neighbours = 0;
    for (int i = 0; i < count; i++)
        neighbours += strcmp(all[i].host, one->host) == 0;
    return neighbours;
}

static void sum_up(const struct seat *all, const struct rank_group *group,
                   struct cpu_affinity *affinity) {
    const struct seat *own = &all[group->process];
    CPU_ZERO(&affinity->here);
    for (int i = 0; i < group->processes; i++) {
        int neighbours = count_neighbours(all, group->processes, &all[i]);
        affinity->crowded = affinity->crowded || neighbours > all[i].cores;
        if (strcmp(all[i].host, own->host) == 0)
            CPU_OR(&affinity->here, &affinity->here, &all[i].cpus);
    }
    affinity->cores_per_rank =
        share_cores(&affinity->here, count_neighbours(all, group->processes, own));
}

enum code cpu_affinity_gather(struct rank_group *group, enum code code,
                              struct cpu_affinity *affinity) {
    struct seat own = own_seat();
    *affinity =
        (struct cpu_affinity){.spread = group->by_processes,
                              .crowded = !group->by_processes && group->ranks > system_cores(),
                              .cores_per_rank = share_cores(&own.cpus, group->ranks)};
    if (!group->by_processes)
        return code;
    struct seat *all = rank_group_collect(group, &code, &own, sizeof own);
    if (code == CODE_DONE)
        sum_up(all, group, affinity);
    free(all);
    return code;
}
