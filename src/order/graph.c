/* graph.c - builds the graph: sorts the edges from steps to slices by slice. */
#include "order/graph.h"

#include "plan/owners.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>

/* An edge: a matrix, the identity of the slice, and a step; sorted by all of them. */
enum { MATRIX, STEP = 6, KEYS }; /* where keys are, and their number */
typedef struct edge {
    int64_t key[KEYS];
} edge;

static int compare(const edge *x, const edge *y, int keys) {
    int order = 0;
    for (int i = 0; i < keys && !order; i++)
        order = (x->key[i] > y->key[i]) - (x->key[i] < y->key[i]);
    return order;
}

static int compare_edges(const void *x, const void *y) {
    return compare(x, y, KEYS);
}

/* A slice is identified by where it begins, as in the cache: so steps that use one tile share it.
 * For C its box counts too. */
static edge edge_of(const sct_plan *plan, const sct_task *task, int matrix) {
    const sct_operand *operand = &task->operand[matrix];
    const sct_span *lines = &operand->lines.first, *within = &operand->within.first;
    return (edge){{matrix, lines->coord, lines->at, within->coord, within->at,
                   matrix == SCT_MAT_C ? task->box - plan->box : 0, task->step}};
}

static void count_bytes(const sct_operand *operand, sct_owners *owners, sct_sparse_sums *bytes) {
    sct_owner_share owned;
    sct_owners_begin(owners, operand);
    while (!operand->in_place && sct_owners_next(owners, &owned))
        sct_sparse_sums_add(bytes, owned.rank, (double)owned.bytes);
}

/* Makes the nodes, and for each of them three edges. */
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

/* What it takes to find the uses of slices. bytes, seconds: of one slice, by owner and by resource.
 */
typedef struct maker {
    const sct_plan *plan;
    const sct_machine *machine;
    sct_owners owners;
    sct_sparse_sums bytes, seconds;
    int64_t uses, room;
} maker;

/* Finds the resources that the transfer of a slice uses, and adds them to the graph. */
static sct_status take_uses(maker *m, const sct_operand *operand, sct_graph *graph,
                            sct_graph_slice *slice) {
    sct_resource_use use[SCT_MAX_USES];
    sct_sparse_sums_reset(&m->bytes);
    sct_sparse_sums_reset(&m->seconds);
    count_bytes(operand, &m->owners, &m->bytes);
    for (int64_t i = 0; i < m->bytes.count; i++) {
        int peer = (int)m->bytes.number[i];
        const sct_order_transfer transfer = {peer, operand->matrix == SCT_MAT_C,
                                             m->bytes.sum[peer]};
        int uses = sct_transfer_uses(m->machine, m->plan->rank, &transfer, use);
        for (int t = 0; t < uses; t++)
            sct_sparse_sums_add(&m->seconds, use[t].resource, use[t].seconds);
    }
    slice->first_use = m->uses;
    slice->uses = m->seconds.count;
    for (int64_t i = 0; i < slice->uses; i++) {
        sct_resource_use *grown = sct_memory_grow(graph->use, m->uses, &m->room, sizeof *grown);
        if (!grown)
            return sct_fail(SCT_NO_MEMORY, "no memory for %lld transfers", (long long)m->uses);
        int64_t resource = m->seconds.number[i];
        graph->use = grown;
        graph->use[m->uses++] = (sct_resource_use){resource, m->seconds.sum[resource]};
    }
    return SCT_OK;
}

static sct_status take_slices(maker *m, const edge *edges, sct_graph *graph) {
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < SCT_MATS * graph->steps && !status; i++) {
        int matrix = (int)edges[i].key[MATRIX];
        int64_t step = edges[i].key[STEP];
        if (i == 0 || compare(&edges[i], &edges[i - 1], STEP)) {
            sct_task task;
            sct_plan_task(m->plan, step, &task);
            const sct_operand *operand = &task.operand[matrix];
            sct_graph_slice *slice = &graph->slice[graph->slices++];
            *slice = (sct_graph_slice){.matrix = matrix, .in_place = operand->in_place, .first = i};
            status = take_uses(m, operand, graph, slice);
        }
        graph->user[i] = step;
        graph->node[step].slice[matrix] = graph->slices - 1;
        graph->slice[graph->slices - 1].users++;
    }
    return status;
}

static sct_status create_maker(const sct_plan *plan, const sct_machine *machine, maker *m) {
    *m = (maker){.plan = plan, .machine = machine};
    sct_status status = sct_sparse_sums_create(plan->product.ranks, &m->bytes);
    return status ? status
                  : sct_sparse_sums_create(sct_resource_count(machine, plan->product.ranks),
                                           &m->seconds);
}

static sct_status fill(const sct_plan *plan, const sct_machine *machine, edge *edges,
                       sct_graph *graph) {
    maker m;
    sct_status status = create_maker(plan, machine, &m);
    take_steps(plan, machine, graph, edges);
    qsort(edges, SCT_MATS * (size_t)plan->steps, sizeof *edges, compare_edges);
    if (!status)
        status = take_slices(&m, edges, graph);
    status = sct_owners_end(&m.owners, status);
    sct_sparse_sums_clear(&m.bytes);
    sct_sparse_sums_clear(&m.seconds);
    return status;
}

sct_status sct_graph_create(const sct_plan *plan, const sct_machine *machine, sct_graph *graph) {
    size_t edges = SCT_MATS * (size_t)plan->steps;
    edge *sorted = calloc(edges + 1, sizeof *sorted);
    *graph = (sct_graph){.steps = plan->steps,
                         .resources = sct_resource_count(machine, plan->product.ranks),
                         .node = calloc((size_t)plan->steps + 1, sizeof *graph->node),
                         .slice = calloc(edges + 1, sizeof *graph->slice),
                         .user = calloc(edges + 1, sizeof *graph->user)};
    sct_status status = SCT_OK;
    if (!sorted || !graph->node || !graph->slice || !graph->user)
        status = sct_fail(SCT_NO_MEMORY, "no memory for the graph of %lld steps",
                          (long long)plan->steps);
    if (!status)
        status = fill(plan, machine, sorted, graph);
    free(sorted);
    if (status)
        sct_graph_clear(graph);
    return status;
}

void sct_graph_clear(sct_graph *graph) {
    free(graph->node);
    free(graph->slice);
    free(graph->user);
    free(graph->use);
}
