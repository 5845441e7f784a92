/* rates.h - how fast ranks compute and reach other nodes, in thousandths of the default machine.
 *
 * Measured products show it. From then on, who computes what is chosen for the default machine with
 * these rates, where none is described. */
#ifndef SCT_PLANNER_RATES_H
#define SCT_PLANNER_RATES_H

#include "machine/machine.h"

#include <sectile/sectile.h>

typedef struct sct_rates {
    int64_t computing, far; /* 0: unknown */
} sct_rates;

/* Rates of seconds that products were estimated to take and took, and of bytes that a rank got from
 * other nodes and the seconds in which they came. What is too little to tell stays unknown. */
sct_rates sct_rates_find(double estimated, double took, double bytes, double seconds,
                         int ranks_per_node, int ranks);
/* Adds rates that were found earlier or elsewhere: those known already stay, but links are as fast
 * as they have ever been seen. */
void sct_rates_add(const sct_rates *from, sct_rates *to);

/* Options for a plan: `own`, with `machine`, which is the default one at these rates; or those
 * given, if they describe a machine or decide who computes what, or nothing is known. */
const sct_options *sct_rates_apply(const sct_rates *rates, const sct_problem *problem,
                                   const sct_options *given, sct_options *own,
                                   struct sct_machine *machine);

#endif
