/* graph.h - the computation graph of a rank: its steps, and the slices of A, B and C that they use,
 * with their costs on a machine.
 *
 * A step is ready once its slices of A and B are in place or fetched. Steps that are summed into
 * one slice of C in workspace form a run: nothing comes between them, and the accumulate follows
 * the last. The transfer of a slice uses resources (resources.h). */
#ifndef SCT_ORDER_GRAPH_H
#define SCT_ORDER_GRAPH_H

#include "order/resources.h"
#include "order/sparse_sums.h"
#include "plan/plan.h"

typedef struct sct_node {
    int64_t slice[SCT_MATS];
    double seconds; /* of the product */
} sct_node;

typedef struct sct_graph_slice {
    int matrix;
    bool in_place;
    int64_t first, users;    /* its steps: graph.user[first] and following, in order */
    int64_t first_use, uses; /* resource uses of its transfer: graph.use[first_use] and following;
                              * none in place */
} sct_graph_slice;

typedef struct sct_graph {
    int64_t steps, slices, resources;
    sct_node *node;         /* by number in direct order */
    sct_graph_slice *slice; /* of A, then of B, then of C */
    int64_t *user;
    sct_resource_use *use;
} sct_graph;

/* For a plan that is sliced and has no groups yet. */
sct_status sct_graph_create(const sct_plan *plan, const sct_machine *machine, sct_graph *graph);
void sct_graph_clear(sct_graph *graph);

/* The run of a step, by the number of its slice of C; -1: its slice of C is in place. */
static inline int64_t sct_graph_run(const sct_graph *graph, int64_t step) {
    int64_t c = graph->node[step].slice[SCT_MAT_C];
    return graph->slice[c].in_place ? -1 : c;
}

#endif
