/* graph.h - the computation graph of a rank: its steps on one side, on the other the slices that
 * they take from A and B and add to C, with what each costs on a machine.
 *
 * A transfer costs tolls of the channels that it goes through (channels.h). An edge to a slice of A
 * or B is satisfied if the slice is in place, or has been fetched. Steps into a slice of C that is
 * not in place are a run: they are summed in one slot of workspace, which is accumulated when the
 * last of them is done, so that nothing comes between them. */
#ifndef SCT_ORDER_GRAPH_H
#define SCT_ORDER_GRAPH_H

#include "order/resources.h"
#include "order/sparse_sums.h"
#include "plan/plan.h"

typedef struct sct_node {
    int64_t datum[SCT_MATS];
    double seconds; /* of the product */
} sct_node;

typedef struct sct_datum {
    int matrix;
    bool in_place;
    int64_t first, users; /* the steps: graph.user[first] and those that follow, in order */
    int64_t dues, tolls;  /* of bringing it here, or of adding it to C where it belongs:
                             graph.toll[dues] and those that follow; none in place */
} sct_datum;

typedef struct sct_graph {
    int64_t steps, data, channels;
    sct_node *node;   /* by the number of the step in direct order */
    sct_datum *datum; /* first those of A, then of B, then of C */
    int64_t *user;
    sct_toll *toll;
} sct_graph;

/* Of a plan that is sliced and has no agenda. */
sct_status sct_graph_create(const sct_plan *plan, const sct_machine *machine, sct_graph *graph);
void sct_graph_clear(sct_graph *graph);

/* The datum of C whose steps follow each other, or -1. */
static inline int64_t sct_graph_run(const sct_graph *graph, int64_t step) {
    int64_t c = graph->node[step].datum[SCT_MAT_C];
    return graph->datum[c].in_place ? -1 : c;
}

#endif
