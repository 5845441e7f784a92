/* order.h - an order while it is made: groups of steps and data of a graph, and what they take. */
#ifndef SCT_ORDER_ORDER_H
#define SCT_ORDER_ORDER_H

#include "order/graph.h"

/* What fits into a group; and how many steps ahead direct order fetches. */
typedef struct sct_limits {
    int products, transfers, ahead;
} sct_limits;

/* The group's steps and data are those before these numbers, and not before those of the group
 * before it. */
typedef struct sct_bounds {
    int64_t steps, data;
} sct_bounds;

typedef struct sct_draft {
    int64_t groups, steps, data;
    sct_bounds *group;
    int64_t *step, *datum;
} sct_draft;

/* With room for any order of the graph that fetches nothing twice. */
sct_status sct_draft_create(const sct_graph *graph, sct_draft *draft);
void sct_draft_clear(sct_draft *draft);
void sct_draft_add_step(sct_draft *draft, int64_t step);
void sct_draft_add_datum(sct_draft *draft, int64_t datum);
/* What was added since the last group is one. */
void sct_draft_end_group(sct_draft *draft);

/* Adds what moving a datum takes to what goes through each channel in a group. */
void sct_graph_move(const sct_graph *graph, int64_t datum, sct_sums *moving);
/* What takes longest in a group: its products, with what else the rank does itself, or what goes
 * through one channel. */
double sct_group_seconds(double multiplying, const sct_sums *moving);
/* The sum over all groups of what they take, with what is brought here in each, and the accumulates
 * of the runs that end in it. */
sct_status sct_draft_seconds(const sct_graph *graph, const sct_draft *draft, double *seconds);

/* How groups are filled: with the one that suits best of the first `width` steps that can be done,
 * or that lack something; frugally, no transfer that takes longer than the products beside it is
 * begun before it has to be. */
typedef struct sct_manner {
    int width;
    bool frugal;
} sct_manner;
/* Both on an empty draft. The groups of direct order: a product in each, and what steps need that
 * are a little ahead; before a product that has to wait, groups without any. */
sct_status sct_draft_follow(const sct_graph *graph, sct_limits limits, sct_draft *draft);
/* Each group filled up to its limits. */
sct_status sct_draft_fill(const sct_graph *graph, sct_limits limits, sct_manner manner,
                          sct_draft *draft);
/* The cheapest of all orders; leaves the draft as it is, if none takes less than `known` seconds.
 * It fails if it has to try too many groups, as it would in most cases with more steps, or more
 * data to fetch, than these. */
enum { SCT_MOST_STEPS = 12, SCT_MOST_FETCHED = 20, SCT_MOST_TRIED = 1000000 };
sct_status sct_draft_search(const sct_graph *graph, sct_limits limits, double known,
                            sct_draft *draft);

/* Makes the agenda, if another order than the direct one is asked for. */
sct_status sct_plan_arrange(sct_plan *plan);

#endif
