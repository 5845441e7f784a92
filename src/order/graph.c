/* graph.c - builds the graph: sorts the edges from steps to slices by slice; numbers the
 * resources, and finds those that a transfer uses; and sums that remember which entries are not
 * zero. */
#include "order/graph.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/operand.h"

#include <stdlib.h>

/* ---- Sums ---- */

sct_status sct_sparse_sums_create(int64_t numbers, sct_sparse_sums *sums) {
    size_t room = (size_t)numbers + 1;
    *sums = (sct_sparse_sums){.sum = calloc(room, sizeof *sums->sum),
                              .number = calloc(room, sizeof *sums->number)};
    if (sums->sum && sums->number)
        return SCT_OK;
    sct_sparse_sums_clear(sums);
    return sct_fail(SCT_NO_MEMORY, "no memory for %lld sums", (long long)numbers);
}

void sct_sparse_sums_clear(sct_sparse_sums *sums) {
    free(sums->sum);
    free(sums->number);
    *sums = (sct_sparse_sums){.count = 0};
}

void sct_sparse_sums_reset(sct_sparse_sums *sums) {
    for (int64_t i = 0; i < sums->count; i++)
        sums->sum[sums->number[i]] = 0;
    sums->count = 0;
    sums->most = 0;
}

void sct_sparse_sums_add(sct_sparse_sums *sums, int64_t number, double more) {
    if (more != 0 && sums->sum[number] == 0)
        sums->number[sums->count++] = number;
    sums->sum[number] += more;
    sums->most = sct_larger(sums->most, sums->sum[number]);
}

/* ---- Resources ---- */

/* Numbering: first the single resources, then those of each level, then two links per rank. Of a
 * pair, the first is for what comes in, the second for what goes out. */
enum { MEMORY = SCT_RESOURCE_RANK + 1, UNDER_WAY, COMMON = UNDER_WAY + 2 };
enum { PORT, UPLINK = PORT + 2, TOTAL = UPLINK + 2, OF_LEVEL };

typedef struct use_list {
    sct_resource_use *use;
    int uses;
} use_list;

int64_t sct_resource_count(const sct_machine *machine, int ranks) {
    return COMMON + OF_LEVEL * (int64_t)machine->levels + 2 * (int64_t)ranks;
}

/* Each link adds its latency to the seconds that the bytes take. */
static void add(use_list *list, int64_t resource, double latency, double seconds) {
    if (seconds > 0)
        list->use[list->uses++] = (sct_resource_use){resource, latency + seconds};
}

/* The rank's own seconds for a transfer: processor time per byte, and the slowdown of products
 * while it accumulates. */
static double share_of_rank(const sct_machine *machine, const sct_level *level,
                            const sct_order_transfer *t, double alone) {
    double slowed = t->adds ? machine->slowed * (alone - level->latency) : 0;
    return t->bytes * level->processor + slowed;
}

static void add_links(const sct_machine *machine, const sct_level *level,
                      const sct_order_transfer *t, use_list *list) {
    int64_t first = COMMON + OF_LEVEL * (level - machine->level);
    int64_t pairs = COMMON + OF_LEVEL * (int64_t)machine->levels;
    double volume = t->adds ? t->bytes / level->accumulate : t->bytes, latency = level->latency;
    /* A port is no faster than the processor that serves it. */
    double port = sct_larger(volume / level->port, volume * level->processor);
    add(list, pairs + 2 * (int64_t)t->peer + t->adds, latency, volume / level->pair);
    add(list, first + PORT + t->adds, latency, port);
    add(list, first + UPLINK + t->adds, latency, volume / level->uplink);
    add(list, first + TOTAL, latency, volume / level->total);
}

int sct_transfer_uses(const sct_machine *machine, int rank, const sct_order_transfer *t,
                      sct_resource_use use[SCT_MAX_USES]) {
    use_list list = {.use = use};
    double alone = t->adds ? sct_machine_accumulate(machine, rank, t->peer, t->bytes)
                           : sct_machine_copy(machine, rank, t->peer, t->bytes);
    bool own = rank == t->peer, by_rank = sct_machine_by_rank(machine, rank, t->peer);
    const sct_level *level = own ? NULL : sct_machine_level(machine, rank, t->peer);
    int most = t->adds ? machine->accumulates : machine->gets;
    if (own)
        add(&list, MEMORY, 0, alone);
    else
        add_links(machine, level, t, &list);
    if (by_rank)
        add(&list, SCT_RESOURCE_RANK, 0, alone);
    else if (!own) {
        add(&list, SCT_RESOURCE_RANK, 0, share_of_rank(machine, level, t, alone));
        if (most > 0)
            add(&list, UNDER_WAY + t->adds, 0, alone / most);
    }
    return list.uses;
}

/* ---- The graph ---- */

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
