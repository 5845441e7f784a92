/* exhaustive.c - orders of random graphs: what may be done when, limits, and costs against brute
 * force.
 */
#include "order/exhaustive_resources.h"
#include "order/order.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 13, MOST_DATA = 3 * MOST_STEPS, CHANNELS = 6 };

/* A graph of the test's own. */
typedef struct made {
    sct_graph graph;
    sct_node node[MOST_STEPS];
    sct_datum datum[MOST_DATA];
    int64_t user[MOST_DATA], tolls;
    sct_toll toll[CHANNELS * MOST_DATA];
} made;

static double any_seconds(uint64_t *random, bool equal) {
    return equal ? 1 : (double)check_between(random, 1, 40) / 8;
}

/* Data of a matrix, of which of[step] says who uses which; those without a step fall out. Returns
 * the first. */
static sct_datum *add_data(int matrix, int slices, const int *of, made *m) {
    int64_t at = matrix * m->graph.steps;
    sct_datum *first = &m->datum[m->graph.data];
    for (int slice = 0; slice < slices; slice++) {
        sct_datum *datum = &m->datum[m->graph.data];
        *datum = (sct_datum){.matrix = matrix, .first = at};
        for (int64_t step = 0; step < m->graph.steps; step++)
            if (of[step] == slice) {
                m->user[at++] = step;
                m->node[step].datum[matrix] = m->graph.data;
                datum->users++;
            }
        m->graph.data += datum->users > 0;
    }
    return first;
}

static void add_toll(int64_t channel, double seconds, sct_datum *datum, made *m) {
    if (datum->tolls++ == 0)
        datum->dues = m->tolls;
    m->toll[m->tolls++] = (sct_toll){channel, seconds};
}

/* How transfers get in each other's way. */
typedef struct ways {
    int links;    /* channels beside the rank itself */
    bool equal;   /* all take as long */
    bool orderly; /* as many slices of a matrix go through each link, and through nothing else */
} ways;

static void add_tolls(uint64_t *random, ways of, int slice, sct_datum *datum, made *m) {
    int64_t link = of.orderly ? slice % of.links : check_between(random, 0, of.links - 1);
    add_toll(1 + link, any_seconds(random, of.equal), datum, m);
    for (int64_t i = 0; i < of.links && !of.orderly; i++)
        if (i != link && check_between(random, 0, 5) == 0)
            add_toll(1 + i, any_seconds(random, of.equal), datum, m);
    if (!of.orderly && check_between(random, 0, 5) == 0)
        add_toll(SCT_CHANNEL_RANK, any_seconds(random, of.equal), datum, m);
}

static void deal_data(uint64_t *random, int matrix, int slices, ways of_tolls, made *m) {
    int of[MOST_STEPS], slice = 0;
    for (int64_t step = 0; step < m->graph.steps; step++)
        of[step] = (int)check_between(random, 0, slices - 1);
    sct_datum *datum = add_data(matrix, slices, of, m);
    for (; datum < &m->datum[m->graph.data]; datum++) {
        datum->in_place = check_between(random, 0, matrix == SCT_MAT_C ? 1 : 3) == 0;
        if (!datum->in_place)
            add_tolls(random, of_tolls, slice++, datum, m);
    }
}

static void begin_graph(int64_t steps, made *m) {
    *m = (made){.graph = {.steps = steps,
                          .channels = CHANNELS,
                          .node = m->node,
                          .datum = m->datum,
                          .user = m->user,
                          .toll = m->toll}};
}

static void make_graph(uint64_t *random, int steps, int most_slices, made *m) {
    ways of = {.links = (int)check_between(random, 1, CHANNELS - 1),
               .equal = check_between(random, 0, 1),
               .orderly = check_between(random, 0, 1)};
    begin_graph(steps, m);
    for (int step = 0; step < steps; step++)
        m->node[step].seconds = any_seconds(random, of.equal);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        deal_data(random, matrix, (int)check_between(random, 1, most_slices), of, m);
}

/* The steps of each sum of C then follow each other. */
static void join_sums(made *m) {
    int64_t step = 0;
    for (int64_t d = 0; d < m->graph.data; d++)
        for (int64_t i = 0; m->datum[d].matrix == SCT_MAT_C && i < m->datum[d].users; i++) {
            m->user[m->datum[d].first + i] = step;
            m->node[step++].datum[SCT_MAT_C] = d;
        }
}

/* What may still be done at each place of an order, kept apart from what makes orders. */
typedef struct checker {
    const sct_graph *graph;
    bool here[MOST_DATA], done[MOST_STEPS];
    int64_t run, left; /* begun, and how many of its steps are to do */
} checker;

static bool can_multiply(const checker *c, int64_t step) {
    const sct_node *node = &c->graph->node[step];
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (!c->here[node->datum[matrix]] && !c->graph->datum[node->datum[matrix]].in_place)
            return false;
    return !c->done[step] && (c->left == 0 || node->datum[SCT_MAT_C] == c->run);
}

static void multiply(checker *c, int64_t step) {
    int64_t into = c->graph->node[step].datum[SCT_MAT_C];
    c->done[step] = true;
    if (c->graph->datum[into].in_place)
        return;
    c->left = (c->left ? c->left : c->graph->datum[into].users) - 1;
    c->run = into;
}

/* Whether each group keeps to its limits and to what can be done in it, and all is done once. */
static bool draft_right(const sct_graph *graph, sct_limits limits, const sct_draft *draft) {
    checker c = {.graph = graph};
    sct_bounds lo = {0, 0};
    bool right = true;
    for (int64_t g = 0; g < draft->groups; g++) {
        sct_bounds hi = draft->group[g];
        right &= hi.steps - lo.steps <= limits.products && hi.data - lo.data <= limits.transfers;
        right &= hi.steps > lo.steps || hi.data > lo.data;
        for (int64_t i = lo.steps; i < hi.steps; i++) {
            right &= can_multiply(&c, draft->step[i]);
            multiply(&c, draft->step[i]);
        }
        for (int64_t i = lo.data; i < hi.data; i++) {
            right &= !c.here[draft->datum[i]] && !graph->datum[draft->datum[i]].in_place;
            c.here[draft->datum[i]] = true;
        }
        lo = hi;
    }
    return right && lo.steps == graph->steps;
}

/* What goes through each channel in a group, through that of the rank its products, too. */
typedef struct load {
    double of[CHANNELS];
} load;

static load with_datum(const sct_graph *graph, load l, const sct_datum *datum) {
    for (int64_t i = 0; i < datum->tolls; i++)
        l.of[graph->toll[datum->dues + i].channel] += graph->toll[datum->dues + i].seconds;
    return l;
}

static double seconds_of_load(const load *l) {
    double most = 0;
    for (int i = 0; i < CHANNELS; i++)
        most = fmax(most, l->of[i]);
    return most;
}

/* The least seconds from here on, by trying each selection of steps and data. */
typedef struct brute {
    sct_limits limits;
    double best;
} brute;

static void try_groups(brute *b, checker c, double spent);

static void try_data(brute *b, checker c, const checker *after, double spent, load l, int64_t from,
                     int data, bool some) {
    const sct_graph *graph = c.graph;
    if (some) {
        checker next = *after;
        memcpy(next.here, c.here, sizeof next.here);
        try_groups(b, next, spent + seconds_of_load(&l));
    }
    for (int64_t d = from; d < graph->data && data < b->limits.transfers; d++)
        if (graph->datum[d].matrix != SCT_MAT_C && !graph->datum[d].in_place && !c.here[d]) {
            c.here[d] = true;
            try_data(b, c, after, spent, with_datum(graph, l, &graph->datum[d]), d + 1, data + 1,
                     true);
            c.here[d] = false;
        }
}

static void try_steps(brute *b, const checker *before, checker c, double spent, load l, int steps) {
    const sct_graph *graph = c.graph;
    try_data(b, *before, &c, spent, l, 0, 0, steps > 0);
    for (int64_t s = 0; s < graph->steps && steps < b->limits.products; s++)
        if (can_multiply(&c, s)) {
            checker next = c;
            multiply(&next, s);
            const sct_datum *into = &graph->datum[graph->node[s].datum[SCT_MAT_C]];
            load more = !into->in_place && next.left == 0 ? with_datum(graph, l, into) : l;
            more.of[SCT_CHANNEL_RANK] += graph->node[s].seconds;
            try_steps(b, before, next, spent, more, steps + 1);
        }
}

static void try_groups(brute *b, checker c, double spent) {
    bool all = true;
    for (int64_t s = 0; s < c.graph->steps; s++)
        all &= c.done[s];
    if (spent >= b->best)
        return;
    if (all)
        b->best = spent;
    else
        try_steps(b, &c, c, spent, (load){{0}}, 0);
}

static double seconds_of(const made *m, sct_limits limits, const sct_draft *draft) {
    double seconds = NAN;
    CHECK(draft_right(&m->graph, limits, draft));
    CHECK(sct_draft_seconds(&m->graph, draft, &seconds) == SCT_OK);
    return seconds;
}

/* The seconds of the greedy order, of a wider one, and of the best. */
static void take_costs(const made *m, sct_limits limits, double seconds[3]) {
    for (int way = 0; way < 3; way++) {
        sct_draft draft;
        double known = way == 2 ? 1.5 * fmin(seconds[0], seconds[1]) : 0;
        CHECK(sct_draft_create(&m->graph, &draft) == SCT_OK);
        CHECK(way == 2 ? sct_draft_search(&m->graph, limits, known, &draft) == SCT_OK
                       : sct_draft_fill(&m->graph, limits,
                                        (sct_manner){way ? 5 : 1, way && limits.products > 1},
                                        &draft) == SCT_OK);
        seconds[way] = seconds_of(m, limits, &draft);
        sct_draft_clear(&draft);
    }
}

static sct_limits any_limits(uint64_t *random) {
    return (sct_limits){.products = (int)check_between(random, 1, 3),
                        .transfers = (int)check_between(random, 1, 4)};
}

/* What the groups take cannot be less than all in one group. */
static void test_costs(int number, uint64_t *random) {
    made m;
    double seconds[3];
    load all = {{0}};
    sct_limits limits = any_limits(random);
    make_graph(random, (int)check_between(random, 1, 9), 4, &m);
    take_costs(&m, limits, seconds);
    for (int64_t step = 0; step < m.graph.steps; step++)
        all.of[SCT_CHANNEL_RANK] += m.node[step].seconds;
    for (int64_t d = 0; d < m.graph.data; d++)
        all = with_datum(&m.graph, all, &m.datum[d]);
    double least = seconds_of_load(&all) * (1 - 1e-9);
    CHECK_CASE(seconds[2] <= fmin(seconds[0], seconds[1]) * (1 + 1e-9) && seconds[2] >= least,
               "graph %d: greedy %g, wide %g, best %g, least %g", number, seconds[0], seconds[1],
               seconds[2], least);
}

static void test_brute(int number, uint64_t *random) {
    made m;
    double seconds[3];
    sct_limits limits = {.products = (int)check_between(random, 1, 2),
                         .transfers = (int)check_between(random, 1, 3)};
    make_graph(random, (int)check_between(random, 1, 4), 3, &m);
    take_costs(&m, limits, seconds);
    brute b = {.limits = limits, .best = seconds[0] * (1 + 1e-9)};
    try_groups(&b, (checker){.graph = &m.graph}, 0);
    CHECK_CASE(fabs(seconds[2] - b.best) <= 1e-9 * b.best, "graph %d: %g, by brute force %g",
               number, seconds[2], b.best);
}

/* Direct order, of a graph whose sums are each of steps that follow each other: it keeps to all
 * limits, so that the best order takes no longer. */
static void test_direct(int number, uint64_t *random) {
    made m;
    double seconds[2];
    sct_limits limits = any_limits(random);
    limits.ahead = (int)check_between(random, 0, 3);
    make_graph(random, (int)check_between(random, 1, 9), 4, &m);
    join_sums(&m);
    for (int best = 0; best < 2; best++) {
        sct_draft draft;
        CHECK(sct_draft_create(&m.graph, &draft) == SCT_OK);
        CHECK(best ? sct_draft_search(&m.graph, limits, 1.5 * seconds[0], &draft) == SCT_OK
                   : sct_draft_follow(&m.graph, limits, &draft) == SCT_OK);
        for (int64_t i = 0; i < draft.steps && !best; i++)
            CHECK(draft.step[i] == i);
        seconds[best] = seconds_of(&m, limits, &draft);
        sct_draft_clear(&draft);
    }
    CHECK_CASE(seconds[1] <= seconds[0] * (1 + 1e-9), "graph %d: direct %g, best %g", number,
               seconds[0], seconds[1]);
}

/* Two runs of six steps that share A, where all but A costs next to nothing: too many orders that
 * are nearly as good. */
static void test_too_many(void) {
    static const int slices[] = {6, 12, 2};
    made m;
    begin_graph(12, &m);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int of[MOST_STEPS];
        for (int step = 0; step < 12; step++)
            of[step] = matrix == SCT_MAT_C ? step / 6 : step % slices[matrix];
        sct_datum *datum = add_data(matrix, slices[matrix], of, &m);
        for (int i = 0; i < slices[matrix]; i++)
            add_toll(1, matrix == SCT_MAT_B ? 1e-9 * (1 + i / 6) : 1e-4, &datum[i], &m);
    }
    for (int step = 0; step < 12; step++)
        m.node[step].seconds = 1e-6;
    sct_draft draft;
    CHECK(sct_draft_create(&m.graph, &draft) == SCT_OK);
    CHECK(sct_draft_search(&m.graph, (sct_limits){.products = 2, .transfers = 4}, 1, &draft) ==
          SCT_BAD_ARGUMENT);
    CHECK(!strcmp(sct_last_reason(),
                  "schedule: an exhaustive search of 12 steps tries more than 1000000 groups"));
    CHECK(draft.steps == 0);
    sct_draft_clear(&draft);
}

/* Of five links the first can do more than the second and the fourth no more, the third has one
 * transfer, and the fifth takes longer for one of two. */
static void test_channels(void) {
    static const double seconds[][2] = {{1, 1}, {1, 2}, {3, 0}, {1, 2}, {2, 1}};
    static const int of[] = {0, 1};
    static const int64_t data[] = {0, 1};
    made m;
    sct_search_tolls tolls;
    begin_graph(2, &m);
    sct_datum *datum = add_data(SCT_MAT_A, 2, of, &m);
    for (int i = 0; i < 2; i++)
        for (int link = 0; link < 5; link++)
            if (seconds[link][i] > 0)
                add_toll(1 + link, seconds[link][i], &datum[i], &m);
    CHECK(sct_search_tolls_create(&m.graph, data, 2, &tolls) == SCT_OK);
    CHECK(tolls.transfers == 2 && tolls.channels == 3);
    static const double left[] = {0, 1, 2, 0, 2, 1};
    CHECK(memcmp(tolls.toll, left, sizeof left) == 0);
    sct_search_tolls_clear(&tolls);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < 600; i++)
        test_costs(i, &random);
    for (int i = 0; i < 200; i++)
        test_brute(i, &random);
    for (int i = 0; i < 200; i++)
        test_direct(i, &random);
    test_too_many();
    test_channels();
    return check_report("search");
}
