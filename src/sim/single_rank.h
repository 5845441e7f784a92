/* single_rank.h - the time of one rank among others with the same work, without simulating those.
 *
 * The rank has its share of each shared link and waits for nobody else. That shows the effect of
 * slicing and order at the cost of one rank, but not contention between ranks. */
#ifndef SCT_SIM_SINGLE_RANK_H
#define SCT_SIM_SINGLE_RANK_H

#include "machine/machine.h"

#include <sectile/sectile_simulate.h>

/* The ranks simulated: all, or one; the memory of others is there, but they do not act. */
typedef struct sct_rank_subset {
    int first, count;
} sct_rank_subset;

typedef struct sct_sim_result {
    double seconds;
    double work; /* simulation work, in steps and transfers */
} sct_sim_result;

/* Local. The machine may describe another number of ranks. */
sct_status sct_simulate_single(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, int rank, sct_sim_result *trial);

/* simulate.c: simulates some ranks with all links for themselves. SCT_TOO_LARGE: more work than the
 * limit. */
sct_status sct_simulate_subset(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, sct_rank_subset subset, double most_work,
                               sct_sim_result *trial);

#endif
