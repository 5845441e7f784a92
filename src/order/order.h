/* order.h - an order of the steps of a graph, in groups, and its cost. */
#ifndef SCT_ORDER_ORDER_H
#define SCT_ORDER_ORDER_H

#include "order/graph.h"

/* Limits of a group, and the prefetch depth of direct order. */
typedef struct sct_limits {
    int products, transfers, ahead;
} sct_limits;

/* A group ends before these positions, and begins where the previous group ends. */
typedef struct sct_bounds {
    int64_t steps, slices;
} sct_bounds;

typedef struct sct_step_order {
    int64_t groups, steps, slices;
    sct_bounds *group;
    int64_t *step, *slice;
} sct_step_order;

/* Allocates for any order of the graph without repeated fetches. */
sct_status sct_step_order_create(const sct_graph *graph, sct_step_order *order);
void sct_step_order_clear(sct_step_order *order);
void sct_step_order_add_step(sct_step_order *order, int64_t step);
void sct_step_order_add_fetch(sct_step_order *order, int64_t slice);
/* Ends a group: what was added since the last one. */
void sct_step_order_end_group(sct_step_order *order);

/* Adds the resource uses of moving a slice to those of a group. */
void sct_graph_move(const sct_graph *graph, int64_t slice, sct_sparse_sums *moving);
/* Seconds of a group: the busiest resource; the rank itself counts its products too. */
double sct_group_seconds(double multiplying, const sct_sparse_sums *moving);
/* The seconds of an order: the sum over its groups, each with its fetches and the accumulates of
 * the runs that end in it. */
sct_status sct_step_order_seconds(const sct_graph *graph, const sct_step_order *order,
                                  double *seconds);

/* How groups are filled. width: among how many ready steps, or missing slices, the best is chosen.
 * frugal: no transfer that outlasts the group's products is started before it must be. */
typedef struct sct_fill_policy {
    int width;
    bool frugal;
} sct_fill_policy;
/* Both take an empty order. Direct order: one product per group, with prefetches `ahead`; groups
 * without a product where a step is blocked. */
sct_status sct_step_order_direct(const sct_graph *graph, sct_limits limits, sct_step_order *order);
/* Fills each group up to the limits. */
sct_status sct_step_order_fill(const sct_graph *graph, sct_limits limits, sct_fill_policy policy,
                               sct_step_order *order);
/* The cheapest of all orders. Leaves `order` as it is if none takes less than `known` seconds.
 * Fails if it would try more than SCT_MOST_TRIED groups. The limits on steps and fetched slices
 * keep most searches below that. */
enum { SCT_MOST_STEPS = 12, SCT_MOST_FETCHED = 20, SCT_MOST_TRIED = 1000000 };
sct_status sct_step_order_search(const sct_graph *graph, sct_limits limits, double known,
                                 sct_step_order *order);

/* Makes the groups of the plan, unless its order is direct. */
sct_status sct_plan_arrange(sct_plan *plan);

#endif
