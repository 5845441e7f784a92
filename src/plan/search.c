/* search.c - the cheapest order of a few steps, found by branch and bound over every selection of
 * products and transfers for each group.
 *
 * What is left to do depends only on which steps are done and which data are here. So the search
 * goes through such states, the one first that may lead to the least, and remembers the cheapest
 * way to each; states are one if they differ only in which of several steps that are alike is how
 * far. A selection is left out if more could be done in the same time and to no harm; a
 * state, if it cannot lead to less than is known: what is left takes no less than its products
 * (and, if none can be made yet, what the nearest one lacks), and no less than its transfers (and
 * then a product for which the last of them came). */
#include "plan/draft.h"
#include "plan/heap.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sums of the same seconds in another order differ by less than this share. */
static const double rounding = 1e-12;
/* Of states that may lead to about the same, the one with less left to do comes first. */
static const double eagerness = 1e-6;

/* Steps and data are bits. */
typedef struct progress {
    uint32_t done, here;
} progress;

typedef struct state {
    progress at;
    uint64_t key;
    double spent;
    int64_t from;                    /* the state before the last group */
    uint32_t fetched;                /* in that group */
    int products;                    /* in that group: */
    uint8_t product[SCT_MOST_STEPS]; /* in order */
} state;

typedef struct search {
    const sct_graph *graph;
    sct_limits limits;
    int steps, data;
    int64_t datum[SCT_MOST_FETCHED]; /* those that are not in place */
    int owner[SCT_MOST_FETCHED];     /* the one step that needs it; -1: there are several */
    uint32_t needs[SCT_MOST_STEPS];  /* data */
    uint32_t run[SCT_MOST_STEPS];    /* steps, with this one; 0: none */
    uint32_t own[SCT_MOST_STEPS][2]; /* data of A and of B that no other step needs */
    int twin[SCT_MOST_STEPS];        /* the step before it that is like it in all; -1: none */
    double known;                    /* the least seconds of any order so far */
    int64_t tried;                   /* groups */
    int64_t states, room;
    state *state;
    sct_heap queue;
    int64_t *table; /* of states by their key, -1: none; a power of 2 */
    int64_t slots;
} search;

/* A group in the making, from a state: the state after it, and what it takes. */
typedef struct move {
    state to;
    int transfers;
    double multiplying, moving;
} move;

static double product_seconds(const search *s, int step) {
    return s->graph->node[step].seconds;
}

static double transfer_seconds(const search *s, int datum) {
    return s->graph->datum[s->datum[datum]].seconds;
}

/* What it takes to add up a step's run; 0 if it is in none. */
static double adding_seconds(const search *s, int step) {
    return s->run[step] ? s->graph->datum[s->graph->node[step].datum[SCT_MAT_C]].seconds : 0;
}

static double fetching_seconds(const search *s, uint32_t data) {
    double seconds = 0;
    for (int d = 0; d < s->data; d++)
        if (data >> d & 1)
            seconds += transfer_seconds(s, d);
    return seconds;
}

/* The steps that may be next: if a run is begun, what is left of it. */
static uint32_t next_steps(const search *s, uint32_t done) {
    for (int step = 0; step < s->steps; step++)
        if ((s->run[step] & done) && (s->run[step] & ~done))
            return s->run[step] & ~done;
    return ((1u << s->steps) - 1) & ~done;
}

/* No order takes less from here on. */
static double bound(const search *s, progress at) {
    double products = 0, adding = 0, last = INFINITY, nearest = INFINITY;
    uint32_t next = next_steps(s, at.done), lacking = 0;
    for (int step = 0; step < s->steps; step++) {
        if (at.done >> step & 1)
            continue;
        uint32_t lacks = s->needs[step] & ~at.here;
        lacking |= lacks;
        products += product_seconds(s, step);
        if ((s->run[step] & ~at.done) >> step == 1) /* the last of its run that is to do */
            adding += adding_seconds(s, step);
        if (lacks)
            last = fmin(last, product_seconds(s, step));
        if (next >> step & 1)
            nearest = fmin(nearest, fetching_seconds(s, lacks));
    }
    double transfers = fetching_seconds(s, lacking);
    return fmax(products + (next ? nearest : 0),
                fmax(transfers + adding, transfers + (lacking ? last : 0)));
}

/* How far a step is: whether it is done, and which of its own data are here. */
static unsigned stage(const search *s, progress at, int step) {
    return 4 * (at.done >> step & 1) + 2 * !!(at.here & s->own[step][0]) +
           !!(at.here & s->own[step][1]);
}

/* A number for all that differ only in which of several steps that are alike are how far. */
static uint64_t key_of(const search *s, progress at) {
    unsigned stages[SCT_MOST_STEPS];
    uint64_t key = 0;
    for (int step = 0; step < s->steps; step++) {
        unsigned far = stage(s, at, step);
        int to = step;
        for (; s->twin[to] >= 0 && stages[s->twin[to]] < far; to = s->twin[to])
            stages[to] = stages[s->twin[to]];
        stages[to] = far;
        at.here &= ~(s->own[step][0] | s->own[step][1]);
    }
    for (int step = 0; step < s->steps; step++)
        key = key << 3 | stages[step];
    return key << SCT_MOST_FETCHED | at.here;
}

/* Where the table has a state with this key, or would. */
static int64_t *entry_of(const search *s, uint64_t key) {
    int64_t slot = (int64_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->slots - 1);
    while (s->table[slot] >= 0 && s->state[s->table[slot]].key != key)
        slot = (slot + 1) & (s->slots - 1);
    return &s->table[slot];
}

/* Whether a step like this one and before it is as far: then it can go first. */
static bool after_twin(const search *s, progress at, int step) {
    int twin = s->twin[step];
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
    return SCT_OK;
}

static bool promises(const search *s, double least) {
    return least < s->known * (1 - rounding);
}

/* Keeps a state that may lead to less than is known, unless the way to it was cheaper before. */
static sct_status keep(search *s, const state *found) {
    double least = found->spent + bound(s, found->at);
    if (++s->tried > SCT_MOST_TRIED)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "schedule: an exhaustive search of %d steps tries more than %d groups",
                        s->steps, SCT_MOST_TRIED);
    if (!promises(s, least))
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
    int left = s->steps + s->data - __builtin_popcount(found->at.done) -
               __builtin_popcount(found->at.here);
    return sct_heap_push(&s->queue, least * (1 + eagerness * left), s->states++);
}

/* Whether the group could fetch more, or multiply more without beginning a run, in the same time.
 */
static bool wastes(const search *s, const move *m, uint32_t here) {
    double taken = fmax(m->multiplying, m->moving);
    if (m->transfers < s->limits.transfers)
        for (int d = 0; d < s->data; d++)
            if (!(m->to.at.here >> d & 1) && m->moving + transfer_seconds(s, d) <= taken)
                return true;
    if (m->to.products == s->limits.products)
        return false;
    uint32_t next = next_steps(s, m->to.at.done);
    for (int step = 0; step < s->steps; step++) {
        bool can = next >> step & 1 && !(s->needs[step] & ~here) &&
                   (!s->run[step] || s->run[step] & m->to.at.done);
        if (can && m->multiplying + product_seconds(s, step) <= taken &&
            m->moving + adding_seconds(s, step) <= taken)
            return true;
    }
    return false;
}

/* All that can be fetched beside the products of a group: data from `from` on. */
static sct_status fetch_more(search *s, const move *m, uint32_t here, int from) {
    sct_status status = SCT_OK;
    if (m->to.products + m->transfers > 0 && !wastes(s, m, here)) {
        state to = m->to;
        to.spent += fmax(m->multiplying, m->moving);
        status = keep(s, &to);
    }
    for (int d = from; d < s->data && m->transfers < s->limits.transfers && !status; d++) {
        bool in_turn = s->owner[d] < 0 || !after_twin(s, m->to.at, s->owner[d]);
        if (m->to.at.here >> d & 1 || !in_turn)
            continue;
        move more = *m;
        more.transfers++;
        more.moving += transfer_seconds(s, d);
        more.to.at.here |= 1u << d;
        more.to.fetched |= 1u << d;
        status = fetch_more(s, &more, here, d + 1);
    }
    return status;
}

/* All that can be multiplied in a group, each with all that can be fetched. Products that are in
 * no run are taken in one order only. */
static sct_status multiply_more(search *s, const move *m, uint32_t here) {
    sct_status status = fetch_more(s, m, here, 0);
    int products = m->to.products;
    if (products == s->limits.products || products == SCT_MOST_STEPS)
        return status;
    uint32_t next = next_steps(s, m->to.at.done);
    int last = products ? m->to.product[products - 1] : -1;
    for (int step = 0; step < s->steps && !status; step++) {
        bool again = step < last && !s->run[step] && !s->run[last];
        if (!(next >> step & 1) || s->needs[step] & ~here || again || after_twin(s, m->to.at, step))
            continue;
        move more = *m;
        more.multiplying += product_seconds(s, step);
        more.to.product[more.to.products++] = (uint8_t)step;
        more.to.at.done |= 1u << step;
        if (!(s->run[step] & ~more.to.at.done))
            more.moving += adding_seconds(s, step);
        status = multiply_more(s, &more, here);
    }
    return status;
}

/* The state in which all is done, at the least cost; -1: there is none that is worth it. */
static sct_status go_through(search *s, int64_t *best) {
    *best = -1;
    state start = {.from = -1};
    sct_status status = keep(s, &start);
    while (!status && s->queue.count > 0) {
        sct_ranked first = sct_heap_pop(&s->queue);
        state at = s->state[first.item];
        if (*entry_of(s, at.key) != first.item || !promises(s, at.spent + bound(s, at.at)))
            continue; /* there is a cheaper way to it, or to the end */
        if (at.at.done == (1u << s->steps) - 1) {
            *best = first.item;
            s->known = at.spent;
            continue;
        }
        move m = {.to = {.at = at.at, .spent = at.spent, .from = first.item}};
        status = multiply_more(s, &m, at.at.here);
    }
    return status;
}

static void write_groups(const search *s, int64_t index, sct_draft *draft) {
    const state *at = &s->state[index];
    if (at->from < 0)
        return;
    write_groups(s, at->from, draft);
    for (int d = 0; d < s->data; d++)
        if (at->fetched >> d & 1)
            sct_draft_add_datum(draft, s->datum[d]);
    for (int i = 0; i < at->products; i++)
        sct_draft_add_step(draft, at->product[i]);
    sct_draft_end_group(draft);
}

static void take_datum(search *s, int64_t index) {
    const sct_datum *datum = &s->graph->datum[index];
    const int64_t *user = &s->graph->user[datum->first];
    if (datum->in_place)
        return;
    uint32_t users = 0;
    for (int64_t u = 0; u < datum->users; u++)
        users |= 1u << user[u];
    for (int64_t u = 0; u < datum->users && datum->matrix == SCT_MAT_C; u++)
        s->run[user[u]] = users;
    if (datum->matrix == SCT_MAT_C)
        return;
    for (int64_t u = 0; u < datum->users; u++)
        s->needs[user[u]] |= 1u << s->data;
    s->owner[s->data] = datum->users == 1 ? (int)user[0] : -1;
    if (datum->users == 1)
        s->own[user[0]][datum->matrix] = 1u << s->data;
    s->datum[s->data++] = index;
}

/* Whether two steps differ in nothing but which data are their own. */
static bool alike(const search *s, int x, int y) {
    uint32_t own[2] = {s->own[x][0] | s->own[x][1], s->own[y][0] | s->own[y][1]};
    bool alone = s->run[x] == 1u << x && s->run[y] == 1u << y;
    bool same = (s->needs[x] & ~own[0]) == (s->needs[y] & ~own[1]) &&
                (alone || s->run[x] == s->run[y]) && adding_seconds(s, x) == adding_seconds(s, y) &&
                product_seconds(s, x) == product_seconds(s, y);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        same = same && !s->own[x][matrix] == !s->own[y][matrix] &&
               fetching_seconds(s, s->own[x][matrix]) == fetching_seconds(s, s->own[y][matrix]);
    return same;
}

static void take_graph(search *s) {
    for (int64_t d = 0; d < s->graph->data; d++)
        take_datum(s, d);
    for (int step = 0; step < s->steps; step++) {
        s->twin[step] = step - 1;
        while (s->twin[step] >= 0 && !alike(s, step, s->twin[step]))
            s->twin[step]--;
    }
}

sct_status sct_draft_search(const sct_graph *graph, sct_limits limits, double known,
                            sct_draft *draft) {
    search s = {.graph = graph, .limits = limits, .steps = (int)graph->steps, .known = known};
    int64_t best;
    take_graph(&s);
    sct_status status = go_through(&s, &best);
    if (!status && best >= 0) {
        draft->groups = draft->steps = draft->data = 0;
        write_groups(&s, best, draft);
    }
    free(s.state);
    free(s.table);
    sct_heap_clear(&s.queue);
    return status;
}
