/* graph.h - the computation graph of a rank: steps, and the slices of A, B and C that they use,
 * with costs on a machine.
 *
 * An edge to a slice of A or B is satisfied if the slice is in place or fetched. Steps that are
 * summed into one slice of C in workspace form a run: they follow each other, and the last one is
 * followed by the accumulate. A transfer uses resources (resources.h). */
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

/* The run of a step: its slice of C in workspace, or -1. */
static inline int64_t sct_graph_run(const sct_graph *graph, int64_t step) {
    int64_t c = graph->node[step].slice[SCT_MAT_C];
    return graph->slice[c].in_place ? -1 : c;
}

#endif
