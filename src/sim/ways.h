/* ways.h - slicing and order of what is chosen. */
#ifndef SCT_SIM_WAYS_H
#define SCT_SIM_WAYS_H

#include "plan/hunt.h"

/* How much work simulations of all ranks may be, for all choices of a search together. */
double sct_ways_patience(int ranks);

/* Finds the slicing and the order in which a choice is done first, if that is clearly before it is
 * in the way that it has; what it takes of the patience is gone. */
sct_status sct_ways_choose(const sct_seeker *seeker, sct_three *three, double *patience);

#endif
