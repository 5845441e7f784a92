/* recent_plans.h - the plans of a world's last products, so that a product that is computed again
 * is not planned again. */
#ifndef SCT_API_RECENT_PLANS_H
#define SCT_API_RECENT_PLANS_H

#include "plan/plan.h"

enum { SCT_RECENT_PLANS = 4 };

/* A plan and what it was made from. The plan keeps the layouts of A, B and C. */
typedef struct sct_recent_plan {
    sct_problem problem;
    sct_slice view[SCT_MATS];
    sct_options options;
    const sct_layout *work; /* that of the options */
    const sct_plan *plan;   /* NULL: the entry is empty */
} sct_recent_plan;

typedef struct sct_recent_plans {
    sct_recent_plan entry[SCT_RECENT_PLANS];
    int next; /* entry to be replaced */
} sct_recent_plans;

/* Finds or makes the plan of one rank. Destroy it as any plan. */
sct_status sct_recent_plans_find(sct_recent_plans *recent, const sct_problem *problem, int rank,
                                 const sct_options *options, const sct_plan **plan);
void sct_recent_plans_clear(sct_recent_plans *recent);

#endif
