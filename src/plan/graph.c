/* graph.c - finds which steps share a slice: their edges, sorted by the slice. */
#include "plan/graph.h"

#include "plan/operand.h"

#include "base/status.h"

#include <stdlib.h>

enum { KEYS = 5 };

/* What a step uses of a matrix, and what that is known by. */
typedef struct edge {
    int matrix;
    int64_t key[KEYS];
    int64_t step;
} edge;

static int compare(int64_t x, int64_t y) {
    return (x > y) - (x < y);
}

static int compare_slices(const edge *x, const edge *y) {
    int order = compare(x->matrix, y->matrix);
    for (int i = 0; i < KEYS && !order; i++)
        order = compare(x->key[i], y->key[i]);
    return order;
}

static int compare_edges(const void *x, const void *y) {
    int order = compare_slices(x, y);
    return order ? order : compare(((const edge *)x)->step, ((const edge *)y)->step);
}

/* What is brought is known by the place where it begins, as in the cache: steps that use one tile
 * share it. Of C, sums are those of one box, as direct order makes them. */
static edge edge_of(const sct_plan *plan, const sct_task *task, int matrix) {
    const sct_operand *operand = &task->operand[matrix];
    const sct_span *lines = &operand->lines.first, *within = &operand->within.first;
    return (edge){.matrix = matrix,
                  .step = task->step,
                  .key = {lines->coord, lines->at, within->coord, within->at,
                          matrix == SCT_MAT_C ? task->box - plan->box : 0}};
}

static double transfer_seconds(const sct_plan *plan, const sct_machine *machine,
                               const sct_operand *operand) {
    bool adds = operand->matrix == SCT_MAT_C;
    double seconds = 0;
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment f;
    while (!operand->in_place && sct_fragments_next(&fragments, &f)) {
        double bytes = (double)f.lines * (double)f.count * (double)sct_type_bytes(operand->type);
        seconds += adds ? sct_machine_accumulate(machine, plan->rank, f.place.rank, bytes)
                        : sct_machine_copy(machine, plan->rank, f.place.rank, bytes);
    }
    return seconds;
}

/* The nodes, and three edges for each. */
static void take_steps(const sct_plan *plan, const sct_machine *machine, sct_graph *graph,
                       edge *edges) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    for (int64_t step = 0; step < plan->steps; step++) {
        sct_task task;
        sct_plan_read(plan, step, &readers, &task);
        graph->node[step].seconds = sct_machine_multiply(
            machine, plan->product.type[SCT_MAT_A], task.piece[SCT_DIM_M].indices.count,
            task.piece[SCT_DIM_N].indices.count, task.piece[SCT_DIM_K].indices.count);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            edges[SCT_MATS * step + matrix] = edge_of(plan, &task, matrix);
    }
}

static void take_slices(const sct_plan *plan, const sct_machine *machine, const edge *edges,
                        sct_graph *graph) {
    for (int64_t i = 0; i < SCT_MATS * plan->steps; i++) {
        const edge *e = &edges[i];
        if (i == 0 || compare_slices(e, e - 1)) {
            sct_task task;
            sct_plan_task(plan, e->step, &task);
            const sct_operand *operand = &task.operand[e->matrix];
            graph->datum[graph->data++] =
                (sct_datum){.matrix = e->matrix,
                            .in_place = operand->in_place,
                            .seconds = transfer_seconds(plan, machine, operand),
                            .first = i};
        }
        graph->user[i] = e->step;
        graph->node[e->step].datum[e->matrix] = graph->data - 1;
        graph->datum[graph->data - 1].users++;
    }
}

sct_status sct_graph_create(const sct_plan *plan, const sct_machine *machine, sct_graph *graph) {
    size_t edges = SCT_MATS * (size_t)plan->steps;
    edge *sorted = calloc(edges + 1, sizeof *sorted);
    *graph = (sct_graph){.steps = plan->steps,
                         .node = calloc((size_t)plan->steps + 1, sizeof *graph->node),
                         .datum = calloc(edges + 1, sizeof *graph->datum),
                         .user = calloc(edges + 1, sizeof *graph->user)};
    if (!sorted || !graph->node || !graph->datum || !graph->user) {
        free(sorted);
        sct_graph_clear(graph);
        return sct_fail(SCT_NO_MEMORY, "no memory for the graph of %lld steps",
                        (long long)plan->steps);
    }
    take_steps(plan, machine, graph, sorted);
    qsort(sorted, edges, sizeof *sorted, compare_edges);
    take_slices(plan, machine, sorted, graph);
    free(sorted);
    return SCT_OK;
}

void sct_graph_clear(sct_graph *graph) {
    free(graph->node);
    free(graph->datum);
    free(graph->user);
}
