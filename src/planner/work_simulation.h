/* work_simulation.h - simulates a product with a work layout. */
#ifndef SCT_PLANNER_WORK_SIMULATION_H
#define SCT_PLANNER_WORK_SIMULATION_H

#include "plan/work.h"

/* Finds the seconds in which all ranks do the work on the machine of the options, which knows the
 * speed of products of this type. Options that may differ by rank do not count, nor does the order
 * of steps, which takes long to find. Not complete: simulating would be too much work, or a rank
 * has no plan. */
sct_status sct_work_simulate(const sct_product *product, const sct_options *options,
                             const sct_work_layout *work, double *seconds, bool *complete);

#endif
