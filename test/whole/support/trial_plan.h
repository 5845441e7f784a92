/* trial_plan.h - the plan of each rank of a trial, and options that are decided with it. */
#ifndef TEST_TRIAL_PLAN_H
#define TEST_TRIAL_PLAN_H

#include <sectile/sectile.h>
#include <sectile/sectile_plan.h>

#include <stdbool.h>

/* Collective: makes this rank's plan, which may be NULL if false is returned. If `tight`, sets a
 * workspace limit: a quarter of what the plans use, doubled until all ranks have a plan. Gives up
 * an exhaustive search among too many steps. */
bool trial_plan(sct_world *world, const sct_problem *problem, bool tight, sct_options *options,
                sct_plan **plan);

#endif
