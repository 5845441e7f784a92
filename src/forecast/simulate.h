/* simulate.h - simulates all ranks, up to a limit of work, or one alone, as if all others had the
 * same.
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

/* Simulates all ranks. The machine may have another number of ranks. SCT_TOO_LARGE: that would take
 * more work than `most_work`. */
sct_status sct_simulate_all(const sct_problem *problem, const sct_options *options,
                            const sct_machine *machine, double most_work, sct_sim_result *trial);

#endif
