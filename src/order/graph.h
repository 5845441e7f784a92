/* graph.h - the computation graph of a rank: its steps, and the slices of A, B and C that they use,
 * with their costs on a machine.
 *
 * A step is ready once its slices of A and B are in place or fetched. Steps that are summed into
 * one slice of C in workspace form a run: nothing comes between them, and the accumulate follows
 * the last.
 *
 * The transfer of a slice uses resources. Transfers that use different resources run side by side.
 * On one resource, their seconds add up. The resources are an incoming and an outgoing link for
 * each other rank; per level the rank's port and its group's uplink, in both directions, and the
 * level's total; the rank's memory; the limits on gets and on accumulates in flight; and the rank
 * itself, which multiplies, and also copies and adds. Traffic between other ranks is not known
 * here, and is ignored. On each link a transfer also takes its latency. */
#ifndef SCT_ORDER_GRAPH_H
#define SCT_ORDER_GRAPH_H

#include "machine/machine.h"
#include "plan/plan.h"

enum { SCT_RESOURCE_RANK, SCT_MAX_USES = 6 };

/* Bytes moved between the rank and a peer; within its own memory if it is its own peer. */
typedef struct sct_order_transfer {
    int peer;
    bool adds; /* an accumulate into the peer's memory; otherwise a get from it */
    double bytes;
} sct_order_transfer;

/* The seconds for which a transfer occupies a resource. */
typedef struct sct_resource_use {
    int64_t resource;
    double seconds;
} sct_resource_use;

/* The number of resources. */
int64_t sct_resource_count(const sct_machine *machine, int ranks);
/* Finds a transfer's uses, one per resource. Returns their number. */
int sct_transfer_uses(const sct_machine *machine, int rank, const sct_order_transfer *transfer,
                      sct_resource_use use[SCT_MAX_USES]);

/* Many numbered sums, most of them zero. Setting all to zero takes no longer than the additions
 * did.
 */
typedef struct sct_sparse_sums {
    double *sum;     /* by number */
    int64_t *number; /* numbers of the sums that are not zero */
    int64_t count;
    double most; /* the greatest sum */
} sct_sparse_sums;

sct_status sct_sparse_sums_create(int64_t numbers, sct_sparse_sums *sums);
void sct_sparse_sums_clear(sct_sparse_sums *sums);
/* Sets all sums to zero. */
void sct_sparse_sums_reset(sct_sparse_sums *sums);
/* `more` must not be negative. */
void sct_sparse_sums_add(sct_sparse_sums *sums, int64_t number, double more);

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
