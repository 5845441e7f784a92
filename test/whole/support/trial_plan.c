/* trial_plan.c - each rank plans for itself; then they agree on the largest of all plans. */
#include "whole/support/trial_plan.h"

#include <stdlib.h>

/* An exhaustive search of more steps may take longer than all else in a trial. */
enum { SEARCHED = 6 };

typedef struct planning {
    sct_world *world;
    const sct_problem *problem;
    sct_options *options;
    sct_plan *plan;
    int64_t steps;      /* the most of any rank */
    uint64_t workspace; /* the largest of any rank */
} planning;

static bool compare(planning *p, sct_cost mine, sct_cost *all) {
    if (sct_world_gather(p->world, &mine, sizeof mine, all))
        return false;
    bool planned = true;
    p->steps = 0;
    p->workspace = 0;
    for (int r = 0; r < sct_world_size(p->world); r++) {
        planned &= all[r].steps >= 0;
        p->steps = all[r].steps > p->steps ? all[r].steps : p->steps;
        p->workspace = all[r].workspace > p->workspace ? all[r].workspace : p->workspace;
    }
    return planned;
}

/* False on all ranks if one of them has no plan. */
static bool plan_all(planning *p) {
    sct_cost mine = {.steps = -1}, *all = malloc((size_t)sct_world_size(p->world) * sizeof *all);
    sct_plan_destroy(p->plan);
    p->plan = NULL;
    if (!sct_plan_create(p->problem, sct_world_rank(p->world), p->options, &p->plan))
        sct_plan_cost(p->plan, &mine);
    bool planned = compare(p, mine, all);
    free(all);
    return planned;
}

/* Doubles the limit, if there is one, until all ranks have a plan. */
static bool plan_within_limit(planning *p) {
    bool planned;
    while (!(planned = plan_all(p)) && p->options->workspace)
        p->options->workspace *= 2;
    return planned;
}

bool trial_plan(sct_world *world, const sct_problem *problem, bool tight, sct_options *options,
                sct_plan **plan) {
    planning p = {.world = world, .problem = problem, .options = options};
    bool searches = options->schedule == SCT_EXHAUSTIVE;
    if (searches)
        options->schedule = SCT_COST;
    bool planned = plan_all(&p);
    if (planned && tight) {
        options->workspace = (size_t)p.workspace / 4;
        planned = plan_within_limit(&p);
    }
    if (planned && searches && p.steps <= SEARCHED) {
        options->schedule = SCT_EXHAUSTIVE;
        planned = plan_within_limit(&p);
        if (!planned) { /* with this order other decisions are made, and steps may be too many */
            options->schedule = SCT_COST;
            planned = plan_within_limit(&p);
        }
    }
    *plan = p.plan;
    return planned;
}
