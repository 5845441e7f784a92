/* single_rank.c - gives a rank its share of a machine. */
#include "sim/single_rank.h"

#include "machine/machine.h"

#include <math.h>

/* Of what ranks share, if all use it as much; and what others get and add takes as much of the
 * rank's time as what it gets and adds itself. */
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

sct_status sct_simulate_alone(const sct_problem *problem, const sct_options *options,
                              const sct_machine *machine, int rank, sct_trial *trial) {
    struct sct_machine share = share_of(machine, problem->ranks);
    sct_options planned = *options;
    if (!planned.machine)
        planned.machine = machine;
    return sct_simulate_cast(problem, &planned, &share, (sct_cast){rank, 1}, INFINITY, trial);
}
