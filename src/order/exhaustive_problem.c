/* exhaustive_problem.c - makes a graph's steps and data bits, and finds the steps that are alike.
 */
#include "order/exhaustive_problem.h"

#include <math.h>

static double alone(const sct_graph *graph, int64_t index) {
    const sct_datum *datum = &graph->datum[index];
    double most = 0;
    for (int64_t i = datum->dues; i < datum->dues + datum->tolls; i++)
        most = fmax(most, graph->toll[i].seconds);
    return most;
}

/* Whether a datum comes before another: it takes longer; or as long, and an earlier step needs it,
 * so that of steps that are alike the first one's data come first. */
static bool precedes(const sct_graph *graph, int64_t x, int64_t y) {
    double one = alone(graph, x), other = alone(graph, y);
    if (one != other)
        return one > other;
    return graph->user[graph->datum[x].first] < graph->user[graph->datum[y].first];
}

static void take_datum(const sct_graph *graph, int64_t index, sct_case *c) {
    int at = c->data++;
    for (; at > 0 && precedes(graph, index, c->datum[at - 1]); at--)
        c->datum[at] = c->datum[at - 1];
    c->datum[at] = index;
}

static void take_transfers(const sct_graph *graph, sct_case *c) {
    int64_t d = 0;
    for (; d < graph->data && graph->datum[d].matrix != SCT_MAT_C; d++)
        if (!graph->datum[d].in_place)
            take_datum(graph, d, c);
    c->transfers = c->data;
    for (; d < graph->data; d++)
        if (!graph->datum[d].in_place)
            c->datum[c->transfers++] = d;
}

static void join_steps(const sct_graph *graph, int transfer, sct_case *c) {
    const sct_datum *datum = &graph->datum[c->datum[transfer]];
    const int64_t *user = &graph->user[datum->first];
    uint32_t users = 0;
    c->alone[transfer] = alone(graph, c->datum[transfer]);
    for (int64_t u = 0; u < datum->users; u++)
        users |= 1u << user[u];
    for (int64_t u = 0; u < datum->users; u++) {
        if (datum->matrix == SCT_MAT_C) {
            c->run[user[u]] = users;
            c->sum[user[u]] = transfer;
        } else
            c->needs[user[u]] |= 1u << transfer;
    }
    if (datum->matrix == SCT_MAT_C)
        return;
    c->owner[transfer] = datum->users == 1 ? (int)user[0] : -1;
    if (datum->users == 1)
        c->own[user[0]][datum->matrix] = 1u << transfer;
}

/* What only a step moves, by matrix; -1: nothing. */
typedef struct own {
    int transfer[SCT_MATS];
    uint32_t all;
} own;

static own own_of(const sct_case *c, int step) {
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

static double toll_of(const sct_case *c, int transfer, int channel) {
    return transfer < 0 ? 0 : c->tolls.toll[transfer * c->tolls.channels + channel];
}

static bool same_tolls(const sct_case *c, const own *x, int channel, const own *y, int other) {
    bool same = true;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        same = same &&
               toll_of(c, x->transfer[matrix], channel) == toll_of(c, y->transfer[matrix], other);
    return same;
}

static bool only_through(const sct_case *c, const own *x, int channel) {
    for (int i = 0; i < c->transfers; i++)
        if (!(x->all >> i & 1) && toll_of(c, i, channel) > 0)
            return false;
    return true;
}

/* Whether each channel does for one step what it does for the other, or, if nothing else goes
 * through it, another such channel does. */
static bool same_channels(const sct_case *c, const own *x, const own *y) {
    for (int i = 0; i < c->tolls.channels; i++) {
        bool same = same_tolls(c, x, i, y, i);
        for (int other = 1; other < c->tolls.channels && !same && only_through(c, x, i); other++)
            same = only_through(c, y, other) && same_tolls(c, x, i, y, other);
        if (!same && !only_through(c, y, i))
            return false;
    }
    return true;
}

/* Whether two steps differ in nothing but what is their own. */
static bool alike(const sct_case *c, int x, int y) {
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

static void find_twins(sct_case *c) {
    for (int step = 0; step < c->steps; step++) {
        c->twin[step] = step - 1;
        while (c->twin[step] >= 0 && !alike(c, step, c->twin[step]))
            c->twin[step]--;
    }
}

sct_status sct_case_create(const sct_graph *graph, sct_case *made) {
    sct_case c = {.steps = (int)graph->steps};
    for (int step = 0; step < c.steps; step++) {
        c.seconds[step] = graph->node[step].seconds;
        c.sum[step] = -1;
    }
    take_transfers(graph, &c);
    for (int i = 0; i < c.transfers; i++)
        join_steps(graph, i, &c);
    sct_status status = sct_search_tolls_create(graph, c.datum, c.transfers, &c.tolls);
    if (status)
        return status;
    find_twins(&c);
    *made = c;
    return SCT_OK;
}

void sct_case_clear(sct_case *c) {
    sct_search_tolls_clear(&c->tolls);
}
