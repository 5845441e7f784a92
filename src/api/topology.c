/* topology.c - compares the hosts and processes of all ranks. */
#include "api/topology.h"

#include "fabric/barrier.h"
#include "fabric/bootstrap.h"
#include "fabric/machine.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct seat {
    uint64_t machine;
    int64_t process;
} seat;

static bool same(const seat *one, const seat *other) {
    return one->machine == other->machine && one->process == other->process;
}

/* Fails if two ranks are of one process. */
static sct_status check_apart(const seat *seats, int ranks) {
    for (int r = 1; r < ranks; r++)
        for (int s = 0; s < r; s++)
            if (same(&seats[s], &seats[r]))
                return sct_fail(
                    SCT_NO_ENGINE,
                    "ranks %d and %d are of one process, but not all are: with devices, "
                    "each rank is a process, or all are threads of one",
                    s, r);
    return SCT_OK;
}

static sct_status compare(const seat *seats, int rank, int ranks, sct_topology *here) {
    int with_first = 0;
    *here = (sct_topology){.place = 0};
    for (int r = 0; r < ranks; r++) {
        bool beside = seats[r].machine == seats[rank].machine;
        here->on_host += beside;
        here->place += beside && r < rank;
        with_first += same(&seats[r], &seats[0]);
    }
    here->processes = with_first < ranks;
    return here->processes ? check_apart(seats, ranks) : SCT_OK;
}

sct_status sct_topology_find(const sct_bootstrap *bootstrap, sct_topology *here) {
    seat mine = {sct_find_machine(), getpid()};
    if (bootstrap->ranks > SCT_BARRIER_MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are too many for devices; at most %d",
                        bootstrap->ranks, SCT_BARRIER_MOST_RANKS);
    seat *seats = calloc((size_t)bootstrap->ranks, sizeof *seats);
    sct_status status = sct_bootstrap_all_have(bootstrap, seats, "the hosts of all ranks");
    if (!status)
        status = sct_bootstrap_gather(bootstrap, &mine, sizeof mine, seats);
    if (!status)
        status = compare(seats, bootstrap->rank, bootstrap->ranks, here);
    free(seats);
    return status;
}
