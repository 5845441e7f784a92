/* single_rank.c - simulates one rank with its share of a machine. */
#include "forecast/single_rank.h"

#include "machine/machine.h"

#include <math.h>

/* The machine as one rank sees it: an equal share of shared links; transfers of other ranks with it
 * cost it as much time as its own. */
static struct sct_machine share_of(const sct_machine *machine, int ranks) {
    struct sct_machine share = *machine;
    for (int i = 0; i < share.levels; i++) {
        sct_level *level = &share.level[i];
        level->uplink /= i > 0 ? (double)sct_level_group(machine, i - 1, ranks) : 1;
        level->total /= (double)sct_level_group(machine, i, ranks);
        level->processor *= 2;
    }
    return share;
}

sct_status sct_simulate_single(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, int rank, sct_sim_result *trial) {
    struct sct_machine share = share_of(machine, problem->ranks);
    sct_options planned = *options;
    if (!planned.machine)
        planned.machine = machine;
    return sct_simulate_subset(problem, &planned, &share, (sct_rank_subset){rank, 1}, INFINITY,
                               trial);
}
