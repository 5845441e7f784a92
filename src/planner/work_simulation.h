/* work_simulation.h - simulates a product with a work layout. */
#ifndef SCT_PLANNER_WORK_SIMULATION_H
#define SCT_PLANNER_WORK_SIMULATION_H

#include "plan/work.h"

/* Simulates the product with this work layout, and sets the seconds until the last rank has
 * finished. The machine of the options must know the speed of products of this type. Steps run in
 * direct order, and options that may differ between ranks are ignored. `complete` is false, and
 * `seconds` is not set, if simulating would take too long or a plan could not be made. */
sct_status sct_work_simulate(const sct_product *product, const sct_options *options,
                             const sct_work_layout *work, double *seconds, bool *complete);

#endif
