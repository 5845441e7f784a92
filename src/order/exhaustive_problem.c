/* exhaustive_problem.c - prepares the exhaustive search: describes the steps, and what they wait
 * for, by sets of bits; leaves out resources that one transfer alone uses; finds steps that can
 * take each other's place. */
#include "order/exhaustive_problem.h"
#include "base/checked.h"

#include "base/status.h"

#include <stdlib.h>

/* ---- Transfers ---- */

static int compare(const void *one, const void *other) {
    const sct_exhaustive_transfer *x = one, *y = other;
    if (x->alone != y->alone)
        return x->alone > y->alone ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->slice < y->slice ? -1 : 1;
}

static void take_transfers(const sct_graph *graph, sct_exhaustive_problem *c) {
    for (int64_t d = 0; d < graph->slices; d++) {
        const sct_graph_slice *slice = &graph->slice[d];
        if (slice->in_place)
            continue;
        int64_t first = graph->user[slice->first];
        double most = 0;
        for (int64_t i = slice->first_use; i < slice->first_use + slice->uses; i++)
            most = sct_larger(most, graph->use[i].seconds);
        c->transfer[c->transfers++] = (sct_exhaustive_transfer){
            d, .first = first, .owner = slice->users == 1 ? (int)first : -1, .alone = most};
        c->slices += slice->matrix != SCT_MAT_C;
    }
    qsort(c->transfer, (size_t)c->slices, sizeof *c->transfer, compare);
}

static void join_steps(const sct_graph *graph, int transfer, sct_exhaustive_problem *c) {
    const sct_graph_slice *slice = &graph->slice[c->transfer[transfer].slice];
    const int64_t *user = &graph->user[slice->first];
    uint32_t users = 0;
    for (int64_t u = 0; u < slice->users; u++)
        users |= 1u << user[u];
    for (int64_t u = 0; u < slice->users; u++) {
        if (slice->matrix == SCT_MAT_C) {
            c->run[user[u]] = users;
            c->sum[user[u]] = transfer;
        } else
            c->needs[user[u]] |= 1u << transfer;
    }
    if (slice->users == 1)
        c->own[user[0]][slice->matrix] = 1u << transfer;
}

/* ---- Resources ---- */

/* Numbers the resources that several transfers use, the rank first; 0: not numbered. column:
 * zeros, one per resource of the graph. */
static void number_resources(const sct_graph *graph, sct_exhaustive_problem *c, int *column) {
    for (int i = 0; i < c->transfers; i++) {
        const sct_graph_slice *moved = &graph->slice[c->transfer[i].slice];
        for (int64_t t = moved->first_use; t < moved->first_use + moved->uses; t++)
            column[graph->use[t].resource]++;
    }
    column[SCT_RESOURCE_RANK] = 0;
    c->resources = 1;
    for (int64_t r = SCT_RESOURCE_RANK + 1; r < graph->resources; r++)
        column[r] = column[r] > 1 ? c->resources++ : 0;
}

static void take_uses(const sct_graph *graph, const int *column, sct_exhaustive_problem *c) {
    for (int i = 0; i < c->transfers; i++) {
        const sct_graph_slice *moved = &graph->slice[c->transfer[i].slice];
        for (int64_t t = moved->first_use; t < moved->first_use + moved->uses; t++) {
            const sct_resource_use *use = &graph->use[t];
            if (column[use->resource] > 0 || use->resource == SCT_RESOURCE_RANK)
                c->use[i * c->resources + column[use->resource]] = use->seconds;
        }
    }
}

static sct_status take_resources(const sct_graph *graph, sct_exhaustive_problem *c) {
    int *column = calloc((size_t)graph->resources + 1, sizeof *column);
    if (column) {
        number_resources(graph, c, column);
        c->use = calloc(((size_t)c->transfers + 1) * (size_t)c->resources, sizeof *c->use);
    }
    if (column && c->use)
        take_uses(graph, column, c);
    free(column);
    return c->use ? SCT_OK : sct_no_memory("the resources of an exhaustive search");
}

/* ---- Interchangeable steps ---- */

/* A step's own transfer, or none, and a resource. */
static double use_of(const sct_exhaustive_problem *c, uint32_t own, int resource) {
    return own ? c->use[__builtin_ctz(own) * c->resources + resource] : 0;
}

/* True if each resource serves the own transfers of both steps alike. */
static bool same_resources(const sct_exhaustive_problem *c, int x, int y) {
    for (int i = 0; i < c->resources; i++)
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (use_of(c, c->own[x][matrix], i) != use_of(c, c->own[y][matrix], i))
                return false;
    return true;
}

/* True if two steps are interchangeable: they differ only in transfers that no other step needs. */
static bool alike(const sct_exhaustive_problem *c, int x, int y) {
    const uint32_t *mine = c->own[x], *its = c->own[y];
    bool same = c->run[x] == c->run[y] || (mine[SCT_MAT_C] && its[SCT_MAT_C]);
    same = same && c->seconds[x] == c->seconds[y] &&
           (c->needs[x] & ~(mine[SCT_MAT_A] | mine[SCT_MAT_B])) ==
               (c->needs[y] & ~(its[SCT_MAT_A] | its[SCT_MAT_B]));
    for (int matrix = 0; matrix < SCT_MATS && same; matrix++)
        same = !mine[matrix] == !its[matrix] &&
               (!mine[matrix] || c->transfer[__builtin_ctz(mine[matrix])].alone ==
                                     c->transfer[__builtin_ctz(its[matrix])].alone);
    return same && same_resources(c, x, y);
}

sct_status sct_exhaustive_problem_create(const sct_graph *graph, sct_exhaustive_problem *c) {
    *c = (sct_exhaustive_problem){.steps = (int)graph->steps};
    for (int step = 0; step < c->steps; step++) {
        c->seconds[step] = graph->node[step].seconds;
        c->sum[step] = -1;
    }
    take_transfers(graph, c);
    for (int i = 0; i < c->transfers; i++)
        join_steps(graph, i, c);
    sct_status status = take_resources(graph, c);
    for (int step = 0; step < c->steps && !status; step++) {
        c->twin[step] = step - 1;
        while (c->twin[step] >= 0 && !alike(c, step, c->twin[step]))
            c->twin[step]--;
    }
    return status;
}

void sct_exhaustive_problem_clear(sct_exhaustive_problem *c) {
    free(c->use);
}
