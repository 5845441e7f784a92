/* planner.h - from a problem and options to a plan: which matrix is stationary, how finely the work
 * is cut, and in which order it is done. */
#ifndef SCT_PLANNER_PLANNER_H
#define SCT_PLANNER_PLANNER_H

#include "plan/plan.h"

/* Copies what the caller's version of the struct has, fills in the defaults, and checks. */
sct_status sct_options_resolve(const sct_options *options, sct_options *resolved);

/* The matrix with which the slowest rank (of a sample, if they are many) is done first on the
 * machine; NULL: the default. Of equals C, or a larger one. */
int sct_plan_choose(const sct_product *product, const sct_machine *machine);

/* How many steps a rank's plan has before any are cut to fit, found without going through them. */
sct_status sct_plan_least_steps(const sct_problem *problem, int rank, const sct_options *options,
                                int64_t *steps);

/* Slices and counts the plan, cut as finely as is good and as the limit on workspace asks. */
sct_status sct_plan_fit(sct_plan *plan);

#endif
