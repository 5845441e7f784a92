/* exhaustive.c - the cheapest order of a few steps, found by branch and bound over every selection
 * of products and transfers for each group.
 *
 * What is left to do depends only on which steps are done and which data are here. So the search
 * goes through such states, the one first that may lead to the least, and remembers the cheapest
 * way to each; states are one if they differ only in which of several steps that are alike is how
 * far. A selection is left out if more could be done in the same time and to no harm; a
 * state, if it cannot lead to less than is known: what is left takes no less than its products
 * (and, if none can be made yet, what the nearest one lacks), no less than what goes through one
 * channel, and no less than its fetches (and then a product for which the last of them came). */
#include "order/exhaustive_problem.h"
#include "order/order.h"
#include "order/priority_queue.h"

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
    sct_case of;
    sct_limits limits;
    double known;  /* the least seconds of any order so far */
    int64_t tried; /* groups */
    int64_t states, room;
    state *state;
    sct_heap queue;
    int64_t *table; /* of states by their key, -1: none; a power of 2 */
    int64_t slots;
    double *load; /* room for those of moves */
} search;

/* A group in the making, from a state: the state after it, and what it takes. */
typedef struct move {
    state to;
    int transfers;
    double longest; /* of its transfers, alone */
    double *load;   /* by channel, the rank's with its products */
} move;

/* What a group takes if it has one more transfer (-1: it has not), and a product of so many
 * seconds. */
static double seconds_with(const search *s, const move *m, int transfer, double product) {
    const sct_search_tolls *tolls = &s->of.tolls;
    const double *toll = transfer < 0 ? NULL : &tolls->toll[transfer * tolls->channels];
    double most = toll ? fmax(m->longest, s->of.alone[transfer]) : m->longest;
    for (int i = 0; i < tolls->channels; i++)
        most =
            fmax(most, m->load[i] + (toll ? toll[i] : 0) + (i == SCT_CHANNEL_RANK ? product : 0));
    return most;
}

static double seconds_of(const search *s, const move *m) {
    return seconds_with(s, m, -1, 0);
}

/* The same group with that; its loads lie behind those of the other. */
static move with(const search *s, const move *m, int transfer, double product) {
    const sct_search_tolls *tolls = &s->of.tolls;
    move more = *m;
    more.load += tolls->channels;
    for (int i = 0; i < tolls->channels; i++)
        more.load[i] =
            m->load[i] + (transfer < 0 ? 0 : tolls->toll[transfer * tolls->channels + i]);
    more.load[SCT_CHANNEL_RANK] += product;
    more.longest = transfer < 0 ? m->longest : fmax(m->longest, s->of.alone[transfer]);
    return more;
}

/* What goes through a channel. */
static double through(const search *s, uint32_t transfers, int channel) {
    const sct_search_tolls *tolls = &s->of.tolls;
    double sum = 0;
    for (; transfers; transfers &= transfers - 1)
        sum += tolls->toll[__builtin_ctz(transfers) * tolls->channels + channel];
    return sum;
}

/* No groups that fetch these take less: what goes through one channel; nor the longest of them and,
 * as a group fetches so many, of what comes after so many in turn. */
static double fetching_seconds(const search *s, uint32_t data) {
    double most = 0, turns = 0;
    for (int i = 0; i < s->of.tolls.channels; i++)
        most = fmax(most, through(s, data, i));
    for (int left = 0; data; data &= data - 1, left--)
        if (left == 0) {
            turns += s->of.alone[__builtin_ctz(data)];
            left = s->limits.transfers;
        }
    return fmax(most, turns);
}

/* The steps that may be next: if a run is begun, what is left of it. */
static uint32_t next_steps(const search *s, uint32_t done) {
    for (int step = 0; step < s->of.steps; step++)
        if ((s->of.run[step] & done) && (s->of.run[step] & ~done))
            return s->of.run[step] & ~done;
    return ((1u << s->of.steps) - 1) & ~done;
}

/* No order takes less from here on. */
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
            last = fmin(last, s->of.seconds[step]);
        if (next >> step & 1 && nearest > 0)
            nearest = fmin(nearest, fetching_seconds(s, lacks));
    }
    for (int i = 0; i < s->of.tolls.channels; i++)
        moving =
            fmax(moving, through(s, lacking | sums, i) + (i == SCT_CHANNEL_RANK ? products : 0));
    return fmax(fmax(moving, products + (next ? nearest : 0)),
                lacking ? fetching_seconds(s, lacking) + last : 0);
}

/* How far a step is: whether it is done, and which of its own data are here. */
static unsigned stage(const search *s, progress at, int step) {
    return 4 * (at.done >> step & 1) + 2 * !!(at.here & s->of.own[step][0]) +
           !!(at.here & s->of.own[step][1]);
}

/* A number for all that differ only in which of several steps that are alike are how far. */
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

/* Where the table has a state with this key, or would. */
static int64_t *entry_of(const search *s, uint64_t key) {
    int64_t slot = (int64_t)(key * 0x9e3779b97f4a7c15u >> 32) & (s->slots - 1);
    while (s->table[slot] >= 0 && s->state[s->table[slot]].key != key)
        slot = (slot + 1) & (s->slots - 1);
    return &s->table[slot];
}

/* Whether a step like this one and before it is as far: then it can go first. */
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
                        s->of.steps, SCT_MOST_TRIED);
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
    int left = s->of.steps + s->of.data - __builtin_popcount(found->at.done) -
               __builtin_popcount(found->at.here);
    return sct_heap_push(&s->queue, least * (1 + eagerness * left), s->states++);
}

/* Whether the group could fetch more, or multiply more without beginning a run, in the same time.
 */
static bool wastes(const search *s, const move *m, uint32_t here) {
    double taken = seconds_of(s, m);
    if (m->transfers < s->limits.transfers)
        for (int d = 0; d < s->of.data; d++)
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

/* All that can be fetched beside the products of a group: data from `from` on. */
static sct_status fetch_more(search *s, const move *m, uint32_t here, int from) {
    sct_status status = SCT_OK;
    if (m->to.products + m->transfers > 0 && !wastes(s, m, here)) {
        state to = m->to;
        to.spent += seconds_of(s, m);
        status = keep(s, &to);
    }
    for (int d = from; d < s->of.data && m->transfers < s->limits.transfers && !status; d++) {
        bool in_turn = s->of.owner[d] < 0 || !after_twin(s, m->to.at, s->of.owner[d]);
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

/* All that can be multiplied in a group, each with all that can be fetched. Products that are in
 * no run are taken in one order only. */
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
        if (at.at.done == (1u << s->of.steps) - 1) {
            *best = first.item;
            s->known = at.spent;
            continue;
        }
        move m = {.to = {.at = at.at, .spent = at.spent, .from = first.item}, .load = s->load};
        status = multiply_more(s, &m, at.at.here);
    }
    return status;
}

static void write_groups(const search *s, int64_t index, sct_draft *draft) {
    const state *at = &s->state[index];
    if (at->from < 0)
        return;
    write_groups(s, at->from, draft);
    for (int d = 0; d < s->of.data; d++)
        if (at->fetched >> d & 1)
            sct_draft_add_datum(draft, s->of.datum[d]);
    for (int i = 0; i < at->products; i++)
        sct_draft_add_step(draft, at->product[i]);
    sct_draft_end_group(draft);
}

/* A group in the making has at most all products and all data, and there are as many before it. */
static sct_status make_room(search *s) {
    size_t moves = (size_t)s->of.steps + (size_t)s->of.data + 1;
    s->load = calloc(moves * (size_t)s->of.tolls.channels, sizeof *s->load);
    return s->load ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory to search orders");
}

sct_status sct_draft_search(const sct_graph *graph, sct_limits limits, double known,
                            sct_draft *draft) {
    search s = {.limits = limits, .known = known};
    int64_t best = -1;
    sct_status status = sct_case_create(graph, &s.of);
    if (status)
        return status;
    status = make_room(&s);
    if (!status)
        status = go_through(&s, &best);
    if (!status && best >= 0) {
        draft->groups = draft->steps = draft->data = 0;
        write_groups(&s, best, draft);
    }
    sct_case_clear(&s.of);
    free(s.load);
    free(s.state);
    free(s.table);
    sct_heap_clear(&s.queue);
    return status;
}
