/* single_rank.h - how long one rank takes for its plan among others that do as much, without these.
 *
 * It has its share of each link that ranks share, and waits for nobody but itself: what its slices
 * and its order do shows, at the cost of one rank. That ranks get in each other's way does not. */
#ifndef SCT_SIM_SINGLE_RANK_H
#define SCT_SIM_SINGLE_RANK_H

#include "machine/machine.h"

#include <sectile/sectile_simulate.h>

/* Ranks that take part in a simulation: all, or one; then the others' memory is there, but nobody
 * is at work on it. */
typedef struct sct_cast {
    int first, count;
} sct_cast;

typedef struct sct_trial {
    double seconds;
    double work; /* to find that out, in steps and transfers that disturb nobody */
} sct_trial;

/* Pure; the machine may be for another number of ranks. */
sct_status sct_simulate_alone(const sct_problem *problem, const sct_options *options,
                              const sct_machine *machine, int rank, sct_trial *trial);

/* simulate.c: some ranks, who have all links for themselves. SCT_TOO_LARGE: it is more work. */
sct_status sct_simulate_cast(const sct_problem *problem, const sct_options *options,
                             const sct_machine *machine, sct_cast cast, double most_work,
                             sct_trial *trial);

#endif
