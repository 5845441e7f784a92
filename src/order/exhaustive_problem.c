/* exhaustive_problem.c - turns a graph into bit sets, and finds interchangeable steps. */
#include "order/exhaustive_problem.h"

#include <math.h>

static double alone(const sct_graph *graph, int64_t index) {
    const sct_graph_slice *slice = &graph->slice[index];
    double most = 0;
    for (int64_t i = slice->first_use; i < slice->first_use + slice->uses; i++)
        most = fmax(most, graph->use[i].seconds);
    return most;
}

/* True if a slice is numbered before another: it takes longer; or equally long, and an earlier step
 * needs it, so that slices of the first of interchangeable steps come first. */
static bool precedes(const sct_graph *graph, int64_t x, int64_t y) {
    double one = alone(graph, x), other = alone(graph, y);
    if (one != other)
        return one > other;
    return graph->user[graph->slice[x].first] < graph->user[graph->slice[y].first];
}

static void take_slice(const sct_graph *graph, int64_t index, sct_exhaustive_problem *c) {
    int at = c->slices++;
    for (; at > 0 && precedes(graph, index, c->slice[at - 1]); at--)
        c->slice[at] = c->slice[at - 1];
    c->slice[at] = index;
}

static void take_transfers(const sct_graph *graph, sct_exhaustive_problem *c) {
    int64_t d = 0;
    for (; d < graph->slices && graph->slice[d].matrix != SCT_MAT_C; d++)
        if (!graph->slice[d].in_place)
            take_slice(graph, d, c);
    c->transfers = c->slices;
    for (; d < graph->slices; d++)
        if (!graph->slice[d].in_place)
            c->slice[c->transfers++] = d;
}

static void join_steps(const sct_graph *graph, int transfer, sct_exhaustive_problem *c) {
    const sct_graph_slice *slice = &graph->slice[c->slice[transfer]];
    const int64_t *user = &graph->user[slice->first];
    uint32_t users = 0;
    c->alone[transfer] = alone(graph, c->slice[transfer]);
    for (int64_t u = 0; u < slice->users; u++)
        users |= 1u << user[u];
    for (int64_t u = 0; u < slice->users; u++) {
        if (slice->matrix == SCT_MAT_C) {
            c->run[user[u]] = users;
            c->sum[user[u]] = transfer;
        } else
            c->needs[user[u]] |= 1u << transfer;
    }
    if (slice->matrix == SCT_MAT_C)
        return;
    c->owner[transfer] = slice->users == 1 ? (int)user[0] : -1;
    if (slice->users == 1)
        c->own[user[0]][slice->matrix] = 1u << transfer;
}

/* The transfers that only one step needs, by matrix; -1: none. */
typedef struct own {
    int transfer[SCT_MATS];
    uint32_t all;
} own;

static own own_of(const sct_exhaustive_problem *c, int step) {
    own o = {{-1, -1, -1}, c->own[step][SCT_MAT_A] | c->own[step][SCT_MAT_B]};
    if (c->run[step] == 1u << step)
        o.all |= 1u << c->sum[step];
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (c->own[step][matrix])
            o.transfer[matrix] = __builtin_ctz(c->own[step][matrix]);
    if (c->run[step] == 1u << step)
        o.transfer[SCT_MAT_C] = c->sum[step];
    return o;
}

static double toll_of(const sct_exhaustive_problem *c, int transfer, int resource) {
    return transfer < 0 ? 0 : c->uses.use[transfer * c->uses.resources + resource];
}

static bool same_tolls(const sct_exhaustive_problem *c, const own *x, int resource, const own *y,
                       int other) {
    bool same = true;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        same = same &&
               toll_of(c, x->transfer[matrix], resource) == toll_of(c, y->transfer[matrix], other);
    return same;
}

static bool only_through(const sct_exhaustive_problem *c, const own *x, int resource) {
    for (int i = 0; i < c->transfers; i++)
        if (!(x->all >> i & 1) && toll_of(c, i, resource) > 0)
            return false;
    return true;
}

/* True if each resource serves both steps alike; or, if nothing else uses it, an equivalent
 * resource does. */
static bool same_channels(const sct_exhaustive_problem *c, const own *x, const own *y) {
    for (int i = 0; i < c->uses.resources; i++) {
        bool same = same_tolls(c, x, i, y, i);
        for (int other = 1; other < c->uses.resources && !same && only_through(c, x, i); other++)
            same = only_through(c, y, other) && same_tolls(c, x, i, y, other);
        if (!same && !only_through(c, y, i))
            return false;
    }
    return true;
}

/* True if two steps are interchangeable: they differ only in transfers that no other step needs. */
static bool alike(const sct_exhaustive_problem *c, int x, int y) {
    own one = own_of(c, x), other = own_of(c, y);
    bool same = c->run[x] == c->run[y] || (c->run[x] == 1u << x && c->run[y] == 1u << y);
    same = same && (c->needs[x] & ~one.all) == (c->needs[y] & ~other.all) &&
           c->seconds[x] == c->seconds[y];
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int mine = one.transfer[matrix], its = other.transfer[matrix];
        same = same && (mine < 0) == (its < 0) && (mine < 0 || c->alone[mine] == c->alone[its]);
    }
    return same && same_channels(c, &one, &other) && same_channels(c, &other, &one);
}

static void find_twins(sct_exhaustive_problem *c) {
    for (int step = 0; step < c->steps; step++) {
        c->twin[step] = step - 1;
        while (c->twin[step] >= 0 && !alike(c, step, c->twin[step]))
            c->twin[step]--;
    }
}

sct_status sct_exhaustive_problem_create(const sct_graph *graph, sct_exhaustive_problem *made) {
    sct_exhaustive_problem c = {.steps = (int)graph->steps};
    for (int step = 0; step < c.steps; step++) {
        c.seconds[step] = graph->node[step].seconds;
        c.sum[step] = -1;
    }
    take_transfers(graph, &c);
    for (int i = 0; i < c.transfers; i++)
        join_steps(graph, i, &c);
    sct_status status = sct_exhaustive_resources_create(graph, c.slice, c.transfers, &c.uses);
    if (status)
        return status;
    find_twins(&c);
    *made = c;
    return SCT_OK;
}

void sct_exhaustive_problem_clear(sct_exhaustive_problem *c) {
    sct_exhaustive_resources_clear(&c->uses);
}
