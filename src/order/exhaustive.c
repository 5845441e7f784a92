/* exhaustive.c - the cheapest order of a few steps, by branch and bound over every selection of
 * products and transfers for each group.
 *
 * The remaining work depends only on which steps are done and which slices are here. So the search
 * visits such states, the most promising first, and remembers the cheapest way to each. States that
 * differ only among interchangeable steps are one.
 *
 * A selection is skipped if the group could do more in the same time without harm. A state is
 * pruned by a lower bound on its remaining time: its products (plus the wait for the first operand,
 * if no step is ready), the use of each resource, and its fetches (plus the product that waits for
 * the last of them).
 *
 * First the steps, and what they wait for, are described by sets of bits; resources that one
 * transfer alone uses are left out; and steps that can take the place of each other are found. */
#include "order/exhaustive.h"

#include "base/checked.h"
#include "base/priority_queue.h"
#include "base/status.h"
#include "order/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
static double own_use(const sct_exhaustive_problem *c, uint32_t own, int resource) {
    return own ? c->use[__builtin_ctz(own) * c->resources + resource] : 0;
}

/* True if each resource serves the own transfers of both steps alike. */
static bool same_resources(const sct_exhaustive_problem *c, int x, int y) {
    for (int i = 0; i < c->resources; i++)
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (own_use(c, c->own[x][matrix], i) != own_use(c, c->own[y][matrix], i))
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

/* Sums of the same seconds in another order differ by less than this relative error. */
static const double rounding = 1e-12;

/* The steps that are done, and the slices that are here, as bits. */
typedef struct progress {
    uint32_t done, here;
} progress;

typedef struct state {
    progress at;
    uint64_t key;
    double spent;
    int64_t from;                    /* the state before the last group */
    uint32_t fetched;                /* slices, in that group */
    int products;                    /* in that group, */
    uint8_t product[SCT_MOST_STEPS]; /* in order */
} state;

typedef struct search {
    sct_exhaustive_problem of;
    sct_limits limits;
    double known;  /* the least seconds of any known order */
    int64_t tried; /* groups tried */
    int64_t states, room;
    state *state;
    sct_priority_queue queue;
    int64_t *table; /* hash table from keys to states; -1: empty; size a power of 2 */
    int64_t slots;
    double *load; /* storage for the loads of moves */
} search;

/* A group under construction: the state after it, and its cost. */
typedef struct move {
    state to;
    int transfers;
    double longest; /* longest transfer of the group */
    double *load;   /* by resource; that of the rank includes its products */
} move;

/* The seconds for which a transfer (-1: none) occupies a resource. */
static double use_of(const search *s, int transfer, int resource) {
    return transfer < 0 ? 0 : s->of.use[transfer * s->of.resources + resource];
}

static double alone(const search *s, int transfer) {
    return transfer < 0 ? 0 : s->of.transfer[transfer].alone;
}

/* Seconds of the group with one more transfer (-1: none) and a product of so many seconds. */
static double seconds_with(const search *s, const move *m, int transfer, double product) {
    double most = sct_larger(m->longest, alone(s, transfer));
    for (int i = 0; i < s->of.resources; i++)
        most = sct_larger(most, m->load[i] + use_of(s, transfer, i) +
                                    (i == SCT_RESOURCE_RANK ? product : 0));
    return most;
}

static double seconds_of(const search *s, const move *m) {
    return seconds_with(s, m, -1, 0);
}

/* The group with one more transfer and product. Its loads are stored after those of `m`. */
static move with(const search *s, const move *m, int transfer, double product) {
    move more = *m;
    more.load += s->of.resources;
    for (int i = 0; i < s->of.resources; i++)
        more.load[i] = m->load[i] + use_of(s, transfer, i);
    more.load[SCT_RESOURCE_RANK] += product;
    more.longest = sct_larger(m->longest, alone(s, transfer));
    return more;
}

/* Total use of a resource. */
static double through(const search *s, uint32_t transfers, int resource) {
    double sum = 0;
    for (; transfers; transfers &= transfers - 1)
        sum += use_of(s, __builtin_ctz(transfers), resource);
    return sum;
}

/* A lower bound for groups that fetch these slices: the busiest resource, and the longest transfers
 * of each group if groups fetch as many as they may. */
static double fetching_seconds(const search *s, uint32_t slices) {
    double most = 0, turns = 0;
    for (int i = 0; i < s->of.resources; i++)
        most = sct_larger(most, through(s, slices, i));
    for (int left = 0; slices; slices &= slices - 1, left--)
        if (left == 0) {
            turns += alone(s, __builtin_ctz(slices));
            left = s->limits.transfers;
        }
    return sct_larger(most, turns);
}

/* Candidate next steps: those that continue a run, if one is begun. */
static uint32_t next_steps(const search *s, uint32_t done) {
    for (int step = 0; step < s->of.steps; step++)
        if ((s->of.run[step] & done) && (s->of.run[step] & ~done))
            return s->of.run[step] & ~done;
    return ((1u << s->of.steps) - 1) & ~done;
}

/* A lower bound for the rest of any order from here. */
static double bound(const search *s, progress at) {
    double products = 0, last = INFINITY, nearest = INFINITY, moving = 0;
    uint32_t next = next_steps(s, at.done), lacking = 0, sums = 0;
    for (int step = 0; step < s->of.steps; step++) {
        if (at.done >> step & 1)
            continue;
        uint32_t lacks = s->of.needs[step] & ~at.here;
        lacking |= lacks;
        sums |= s->of.sum[step] < 0 ? 0 : 1u << s->of.sum[step];
        products += s->of.seconds[step];
        if (lacks)
            last = sct_smaller(last, s->of.seconds[step]);
        if (next >> step & 1 && nearest > 0)
            nearest = sct_smaller(nearest, fetching_seconds(s, lacks));
    }
    for (int i = 0; i < s->of.resources; i++)
        moving = sct_larger(moving, through(s, lacking | sums, i) +
                                        (i == SCT_RESOURCE_RANK ? products : 0));
    return sct_larger(sct_larger(moving, products + (next ? nearest : 0)),
                      lacking ? fetching_seconds(s, lacking) + last : 0);
}

/* The progress of a step: done or not, and which of the slices that it alone needs are here. */
static unsigned stage(const search *s, progress at, int step) {
    return 4 * (at.done >> step & 1) + 2 * !!(at.here & s->of.own[step][0]) +
           !!(at.here & s->of.own[step][1]);
}

/* A key shared by all states that differ only among interchangeable steps. */
static uint64_t key_of(const search *s, progress at) {
    unsigned stages[SCT_MOST_STEPS];
    uint64_t key = 0;
    for (int step = 0; step < s->of.steps; step++) {
        unsigned far = stage(s, at, step);
        int to = step;
        for (; s->of.twin[to] >= 0 && stages[s->of.twin[to]] < far; to = s->of.twin[to])
            stages[to] = stages[s->of.twin[to]];
        stages[to] = far;
        at.here &= ~(s->of.own[step][0] | s->of.own[step][1]);
    }
    for (int step = 0; step < s->of.steps; step++)
        key = key << 3 | stages[step];
    return key << SCT_MOST_FETCHED | at.here;
}

/* The table entry with this key, or where it would be. */
static int64_t *entry_of(const search *s, uint64_t key) {
    int64_t slot = (int64_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->slots - 1);
    while (s->table[slot] >= 0 && s->state[s->table[slot]].key != key)
        slot = (slot + 1) & (s->slots - 1);
    return &s->table[slot];
}

/* True if an interchangeable earlier step has made the same progress; it can then go first. */
static bool after_twin(const search *s, progress at, int step) {
    int twin = s->of.twin[step];
    return twin >= 0 && stage(s, at, twin) == stage(s, at, step);
}

static sct_status grow(search *s) {
    int64_t room = sct_max(1024, 2 * s->room);
    state *grown = realloc(s->state, (size_t)room * sizeof *grown);
    if (grown)
        s->state = grown;
    int64_t *table = grown ? malloc(2 * (size_t)room * sizeof *table) : NULL;
    if (!table)
        return sct_fail(SCT_NO_MEMORY, "no memory to search %lld orders", (long long)room);
    memset(table, -1, 2 * (size_t)room * sizeof *table);
    free(s->table);
    s->table = table;
    s->slots = 2 * room;
    s->room = room;
    for (int64_t i = 0; i < s->states; i++)
        *entry_of(s, s->state[i].key) = i;
    return sct_priority_queue_grow(&s->queue, room);
}

static bool can_beat(const search *s, double least) {
    return least < s->known * (1 - rounding);
}

/* Stores a state that may lead to a cheaper order, unless a cheaper way to it is known. */
static sct_status keep(search *s, const state *found) {
    double least = found->spent + bound(s, found->at);
    if (++s->tried > SCT_MOST_TRIED)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "schedule: an exhaustive search of %d steps tries more than %d groups",
                        s->of.steps, SCT_MOST_TRIED);
    if (!can_beat(s, least))
        return SCT_OK;
    sct_status status = s->states < s->room ? SCT_OK : grow(s);
    if (status)
        return status;
    uint64_t key = key_of(s, found->at);
    int64_t *entry = entry_of(s, key);
    if (*entry >= 0 && s->state[*entry].spent <= found->spent)
        return SCT_OK;
    *entry = s->states;
    s->state[s->states] = *found;
    s->state[s->states].key = key;
    sct_priority_queue_set(&s->queue, s->states++, least);
    return SCT_OK;
}

/* True if the group could fetch more, or multiply more without beginning a run, in the same time.
 */
static bool wastes(const search *s, const move *m, uint32_t here) {
    double taken = seconds_of(s, m);
    if (m->transfers < s->limits.transfers)
        for (int d = 0; d < s->of.slices; d++)
            if (!(m->to.at.here >> d & 1) && seconds_with(s, m, d, 0) <= taken)
                return true;
    if (m->to.products == s->limits.products)
        return false;
    uint32_t next = next_steps(s, m->to.at.done);
    for (int step = 0; step < s->of.steps; step++) {
        bool can = next >> step & 1 && !(s->of.needs[step] & ~here) &&
                   (!s->of.run[step] || s->of.run[step] & m->to.at.done);
        if (can && seconds_with(s, m, s->of.sum[step], s->of.seconds[step]) <= taken)
            return true;
    }
    return false;
}

/* Tries all sets of fetches beside the group's products, of slices from number `from` on. */
static sct_status fetch_more(search *s, const move *m, uint32_t here, int from) {
    sct_status status = SCT_OK;
    if (m->to.products + m->transfers > 0 && !wastes(s, m, here)) {
        state to = m->to;
        to.spent += seconds_of(s, m);
        status = keep(s, &to);
    }
    for (int d = from; d < s->of.slices && m->transfers < s->limits.transfers && !status; d++) {
        bool in_turn =
            s->of.transfer[d].owner < 0 || !after_twin(s, m->to.at, s->of.transfer[d].owner);
        if (m->to.at.here >> d & 1 || !in_turn)
            continue;
        move more = with(s, m, d, 0);
        more.transfers++;
        more.to.at.here |= 1u << d;
        more.to.fetched |= 1u << d;
        status = fetch_more(s, &more, here, d + 1);
    }
    return status;
}

/* Tries all sets of products of a group, each with all sets of fetches. Products outside runs are
 * tried in one order only. */
static sct_status multiply_more(search *s, const move *m, uint32_t here) {
    sct_status status = fetch_more(s, m, here, 0);
    int products = m->to.products;
    if (products == s->limits.products || products == SCT_MOST_STEPS)
        return status;
    uint32_t next = next_steps(s, m->to.at.done);
    int last = products ? m->to.product[products - 1] : -1;
    for (int step = 0; step < s->of.steps && !status; step++) {
        bool again = step < last && !s->of.run[step] && !s->of.run[last];
        if (!(next >> step & 1) || s->of.needs[step] & ~here || again ||
            after_twin(s, m->to.at, step))
            continue;
        uint32_t done = m->to.at.done | 1u << step;
        bool ends = s->of.run[step] && !(s->of.run[step] & ~done);
        move more = with(s, m, ends ? s->of.sum[step] : -1, s->of.seconds[step]);
        more.to.product[more.to.products++] = (uint8_t)step;
        more.to.at.done = done;
        status = multiply_more(s, &more, here);
    }
    return status;
}

/* Searches for the cheapest final state; -1: none is cheaper than the known order. */
static sct_status go_through(search *s, int64_t *best) {
    *best = -1;
    state start = {.from = -1};
    sct_status status = keep(s, &start);
    for (int64_t first; !status && (first = sct_priority_queue_first(&s->queue).item) >= 0;) {
        state at = s->state[first];
        sct_priority_queue_drop(&s->queue, first);
        if (*entry_of(s, at.key) != first || !can_beat(s, at.spent + bound(s, at.at)))
            continue; /* superseded by a cheaper way */
        if (at.at.done == (1u << s->of.steps) - 1) {
            *best = first;
            s->known = at.spent;
            continue;
        }
        move m = {.to = {.at = at.at, .spent = at.spent, .from = first}, .load = s->load};
        status = multiply_more(s, &m, at.at.here);
    }
    return status;
}

static void write_groups(const search *s, int64_t index, sct_step_order *order) {
    const state *at = &s->state[index];
    if (at->from < 0)
        return;
    write_groups(s, at->from, order);
    for (int d = 0; d < s->of.slices; d++)
        if (at->fetched >> d & 1)
            sct_step_order_add_fetch(order, s->of.transfer[d].slice);
    for (int i = 0; i < at->products; i++)
        sct_step_order_add_step(order, at->product[i]);
    sct_step_order_end_group(order);
}

sct_status sct_step_order_search(const sct_graph *graph, sct_limits limits, double known,
                                 sct_step_order *order) {
    search s = {.limits = limits, .known = known};
    int64_t best = -1;
    sct_status status = sct_exhaustive_problem_create(graph, &s.of);
    if (status)
        return status;
    /* A group under construction adds at most all products and fetches. */
    size_t moves = (size_t)s.of.steps + (size_t)s.of.slices + 1;
    s.load = calloc(moves * (size_t)s.of.resources, sizeof *s.load);
    status = s.load ? go_through(&s, &best) : sct_no_memory("a search for an order");
    if (!status && best >= 0) {
        order->groups = order->steps = order->slices = 0;
        write_groups(&s, best, order);
    }
    sct_exhaustive_problem_clear(&s.of);
    free(s.load);
    free(s.state);
    free(s.table);
    sct_priority_queue_clear(&s.queue);
    return status;
}
