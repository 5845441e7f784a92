/* order.h - an order of the steps of a graph, in groups, and its cost. */
#ifndef SCT_ORDER_ORDER_H
#define SCT_ORDER_ORDER_H

#include "order/graph.h"

#include <sectile/sectile.h>

/* The most products and transfers in a group; and for direct order, how many steps ahead it
 * fetches.
 */
typedef struct sct_limits {
    int products, transfers, ahead;
} sct_limits;

/* A group ends before these positions of the order, and begins where the previous group ends. */
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

/* Adds the transfer of a slice to the resource uses of a group. */
void sct_graph_move(const sct_graph *graph, int64_t slice, sct_sparse_sums *moving);
/* Seconds of a group: those of its busiest resource, where products are work of the rank itself. */
double sct_group_seconds(double multiplying, const sct_sparse_sums *moving);
/* Seconds of an order: the sum over its groups. A group has its products, its fetches, and the
 * accumulate of each run that ends in it. */
sct_status sct_step_order_seconds(const sct_graph *graph, const sct_step_order *order,
                                  double *seconds);

/* Fills an empty order with direct order: each group is one product, with the fetches for the steps
 * `ahead`. A step that is blocked gets groups without a product before it. */
sct_status sct_step_order_direct(const sct_graph *graph, sct_limits limits, sct_step_order *order);

/* How groups are filled. */
typedef struct sct_fill_policy {
    int width;   /* among how many ready steps, or missing slices, the best is chosen */
    bool frugal; /* a transfer that outlasts the group's products starts only if the next group
                  * would have no product without it */
} sct_fill_policy;
/* Fills an empty order: each group takes as much as its limits and the policy allow. */
sct_status sct_step_order_fill(const sct_graph *graph, sct_limits limits, sct_fill_policy policy,
                               sct_step_order *order);
/* Finds the cheapest of all orders. Leaves `order` as it is if none takes less than `known`
 * seconds. The graph has at most SCT_MOST_STEPS steps and SCT_MOST_FETCHED slices to fetch; that
 * keeps most searches below SCT_MOST_TRIED groups. A search that would try more fails. */
enum { SCT_MOST_STEPS = 12, SCT_MOST_FETCHED = 20, SCT_MOST_TRIED = 1000000 };
sct_status sct_step_order_search(const sct_graph *graph, sct_limits limits, double known,
                                 sct_step_order *order);

/* Makes the groups of the plan. A plan in direct order is left without groups. */
sct_status sct_plan_arrange(sct_plan *plan);

#endif
