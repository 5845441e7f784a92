/* cpu_affinity.c - on which cores the ranks run. */
#include "ranks/cpu_affinity.h"

#include "ranks/system.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of one process. */
struct seat {
    char host[64];
    int cores;
    cpu_set_t cpus;
};

static void find_seat(struct seat *seat) {
    seat->cores = system_cores();
    if (gethostname(seat->host, sizeof seat->host) != 0)
        seat->host[0] = '\0';
    seat->host[sizeof seat->host - 1] = '\0';
    if (sched_getaffinity(0, sizeof seat->cpus, &seat->cpus) != 0)
        CPU_ZERO(&seat->cpus);
}

/* How many of these processes share the host of one. */
static int count_neighbours(const struct seat *all, int count, const struct seat *one) {
    int neighbours = 0;
    for (int i = 0; i < count; i++)
        neighbours += strcmp(all[i].host, one->host) == 0;
    return neighbours;
}

static void sum_up(const struct seat *all, const struct team *team, struct seats *seats) {
    const struct seat *own = &all[team->process];
    CPU_ZERO(&seats->here);
    for (int i = 0; i < team->processes; i++) {
        int neighbours = count_neighbours(all, team->processes, &all[i]);
        seats->crowded = seats->crowded || neighbours > all[i].cores;
        if (strcmp(all[i].host, own->host) == 0)
            CPU_OR(&seats->here, &seats->here, &all[i].cpus);
    }
}

enum code seats_gather(struct team *team, enum code code, struct seats *seats) {
    *seats = (struct seats){.spread = team->by_processes,
                            .crowded = !team->by_processes && team->ranks > system_cores()};
    if (!team->by_processes)
        return code;
    struct seat *all = calloc((size_t)team->processes, sizeof *all);
    if (all)
        find_seat(&all[team->process]);
    else if (code == CODE_DONE) {
        report_error("no memory for %d ranks", team->ranks);
        code = CODE_FAILED;
    }
    code = team_gather(team, code, all, sizeof *all);
    if (code == CODE_DONE)
        sum_up(all, team, seats);
    free(all);
    return code;
}
