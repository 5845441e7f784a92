/* planner.h - turns a problem and options into a plan: chooses the work layout, cuts the
 * work, orders the steps. */
#ifndef SCT_PLANNER_PLANNER_H
#define SCT_PLANNER_PLANNER_H

#include "plan/plan.h"
#include "planner/options.h"

/* True if each rank itself copies what it needs, so that no transfer runs beside its products. */
bool sct_ranks_copy(const sct_product *product, const sct_machine *machine);

/* The limit on a rank's workspace in bytes; infinite: none. By default it is what the rank's own
 * parts take, and at least SCT_LEAST_LIMIT, unless the machine has less memory. */
double sct_workspace_limit(const sct_product *product, const sct_options *options, int rank);
/* The same of a rank with average parts. */
double sct_workspace_limit_of_all(const sct_product *product, const sct_options *options);

/* Makes a rank's plan with the given work layout; `work` and `stay` of the options are
 * ignored. The options are resolved, and have a machine. */
sct_status sct_plan_of_work(const sct_product *product, const sct_options *options, int rank,
                            const sct_work_layout *work, sct_plan **plan);

/* The most work layouts that are compared: a stationary A, B or C, or a grid of ranks. */
enum { SCT_WORK_CANDIDATES = SCT_MATS + 1 };

/* Chooses the work layouts with which the slowest rank finishes first on the machine of the
 * options: the best one, and up to `most` in all, best first, if others are close to it. Times are
 * estimated from a sample of ranks. If the caller described the machine, the best candidates are
 * also simulated. If times are equal, a stationary matrix is preferred: the larger one, otherwise
 * C. The caller releases the layouts. */
sct_status sct_work_choose(const sct_product *product, const sct_options *options, bool described,
                           int most, sct_work_layout *work, int *count);

/* The work layouts among which measuring can choose, the best by estimate first, for a problem and
 * options as the caller gave them. The caller releases the layouts. */
sct_status sct_plan_candidates(const sct_problem *problem, const sct_options *options,
                               sct_work_layout work[SCT_WORK_CANDIDATES], int *count);

/* The number of steps of a rank's plan with owners apart and nothing cut, found without visiting
 * them. */
sct_status sct_plan_least_steps(const sct_problem *problem, int rank, const sct_options *options,
                                int64_t *steps);

/* Slices, orders and counts the plan, by the decisions in its options, or by those of the judge and
 * as finely as the workspace limit demands. Fails with SCT_WORKSPACE if the limit cannot hold. */
sct_status sct_plan_cut(sct_plan *plan);

#endif
