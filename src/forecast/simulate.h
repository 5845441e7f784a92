/* simulate.h - simulates a subset of the ranks: one alone, as if all others had the same work,
 * or a range of them.
 *
 * A rank alone has an equal share of each link that it shares, and waits for nobody. That shows the
 * effect of slicing and order at the cost of one rank, but not contention between ranks. */
#ifndef SCT_FORECAST_SIMULATE_H
#define SCT_FORECAST_SIMULATE_H

#include "sim/sim.h"

#include <sectile/sectile_simulate.h>

typedef struct sct_sim_result {
    double seconds;
    double work; /* simulation work, in steps and transfers */
} sct_sim_result;

/* Simulates one rank with its share of the machine. The machine may have another number of ranks.
 */
sct_status sct_simulate_single(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, int rank, sct_sim_result *trial);

/* Simulates a range of ranks, as if no other rank used the links. SCT_TOO_LARGE: the simulation
 * would take more work than `most_work`. */
sct_status sct_simulate_subset(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, sct_rank_subset subset, double most_work,
                               sct_sim_result *trial);

#endif
