/* exhaustive.c - orders of random graphs: dependencies, limits, and costs compared with brute
 * force. */
#include "order/exhaustive.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 13, MOST_DATA = 3 * MOST_STEPS, CHANNELS = 6 };

/* A graph of the test's own. */
typedef struct made {
    sct_graph graph;
    sct_node node[MOST_STEPS];
    sct_graph_slice slice[MOST_DATA];
    int64_t user[MOST_DATA], uses;
    sct_resource_use use[CHANNELS * MOST_DATA];
} made;

static double any_seconds(uint64_t *random, bool equal) {
    return equal ? 1 : (double)check_between(random, 1, 40) / 8;
}

/* Adds slices of a matrix; of[step] says which one each step uses. Slices without a step are left
 * out. Returns the first. */
static sct_graph_slice *add_slices(int matrix, int slices, const int *of, made *m) {
    int64_t at = matrix * m->graph.steps;
    sct_graph_slice *first = &m->slice[m->graph.slices];
    for (int each = 0; each < slices; each++) {
        sct_graph_slice *slice = &m->slice[m->graph.slices];
        *slice = (sct_graph_slice){.matrix = matrix, .first = at};
        for (int64_t step = 0; step < m->graph.steps; step++)
            if (of[step] == each) {
                m->user[at++] = step;
                m->node[step].slice[matrix] = m->graph.slices;
                slice->users++;
            }
        m->graph.slices += slice->users > 0;
    }
    return first;
}

static void add_use(int64_t resource, double seconds, sct_graph_slice *slice, made *m) {
    if (slice->uses++ == 0)
        slice->first_use = m->uses;
    m->use[m->uses++] = (sct_resource_use){resource, seconds};
}

/* How transfers share resources. */
typedef struct ways {
    int links;    /* resources other than the rank itself */
    bool equal;   /* all take as long */
    bool orderly; /* each link moves the same number of slices of a matrix, and nothing else does */
} ways;

static void add_uses(uint64_t *random, ways of, int number, sct_graph_slice *slice, made *m) {
    int64_t link = of.orderly ? number % of.links : check_between(random, 0, of.links - 1);
    add_use(1 + link, any_seconds(random, of.equal), slice, m);
    for (int64_t i = 0; i < of.links && !of.orderly; i++)
        if (i != link && check_between(random, 0, 5) == 0)
            add_use(1 + i, any_seconds(random, of.equal), slice, m);
    if (!of.orderly && check_between(random, 0, 5) == 0)
        add_use(SCT_RESOURCE_RANK, any_seconds(random, of.equal), slice, m);
}

static void deal_slices(uint64_t *random, int matrix, int slices, ways of_tolls, made *m) {
    int of[MOST_STEPS], number = 0;
    for (int64_t step = 0; step < m->graph.steps; step++)
        of[step] = (int)check_between(random, 0, slices - 1);
    sct_graph_slice *slice = add_slices(matrix, slices, of, m);
    for (; slice < &m->slice[m->graph.slices]; slice++) {
        slice->in_place = check_between(random, 0, matrix == SCT_MAT_C ? 1 : 3) == 0;
        if (!slice->in_place)
            add_uses(random, of_tolls, number++, slice, m);
    }
}

static void begin_graph(int64_t steps, made *m) {
    *m = (made){.graph = {.steps = steps,
                          .resources = CHANNELS,
                          .node = m->node,
                          .slice = m->slice,
                          .user = m->user,
                          .use = m->use}};
}

static void make_graph(uint64_t *random, int steps, int most_slices, made *m) {
    ways of = {.links = (int)check_between(random, 1, CHANNELS - 1),
               .equal = check_between(random, 0, 1),
               .orderly = check_between(random, 0, 1)};
    begin_graph(steps, m);
    for (int step = 0; step < steps; step++)
        m->node[step].seconds = any_seconds(random, of.equal);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        deal_slices(random, matrix, (int)check_between(random, 1, most_slices), of, m);
}

/* Makes the steps of each sum of C follow each other. */
static void join_sums(made *m) {
    int64_t step = 0;
    for (int64_t d = 0; d < m->graph.slices; d++)
        for (int64_t i = 0; m->slice[d].matrix == SCT_MAT_C && i < m->slice[d].users; i++) {
            m->user[m->slice[d].first + i] = step;
            m->node[step++].slice[SCT_MAT_C] = d;
        }
}

/* What is allowed at each point of an order, tracked independently of the code that makes orders.
 */
typedef struct checker {
    const sct_graph *graph;
    bool here[MOST_DATA], done[MOST_STEPS];
    int64_t run, left; /* the sum that is begun, and how many of its steps are left */
} checker;

static bool can_multiply(const checker *c, int64_t step) {
    const sct_node *node = &c->graph->node[step];
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        if (!c->here[node->slice[matrix]] && !c->graph->slice[node->slice[matrix]].in_place)
            return false;
    return !c->done[step] && (c->left == 0 || node->slice[SCT_MAT_C] == c->run);
}

static void multiply(checker *c, int64_t step) {
    int64_t into = c->graph->node[step].slice[SCT_MAT_C];
    c->done[step] = true;
    if (c->graph->slice[into].in_place)
        return;
    c->left = (c->left ? c->left : c->graph->slice[into].users) - 1;
    c->run = into;
}

/* Whether each group keeps the limits and uses only what is available to it, and everything is done
 * once. */
static bool draft_right(const sct_graph *graph, sct_limits limits, const sct_step_order *order) {
    checker c = {.graph = graph};
    sct_bounds lo = {0, 0};
    bool right = true;
    for (int64_t g = 0; g < order->groups; g++) {
        sct_bounds hi = order->group[g];
        right &=
            hi.steps - lo.steps <= limits.products && hi.slices - lo.slices <= limits.transfers;
        right &= hi.steps > lo.steps || hi.slices > lo.slices;
        for (int64_t i = lo.steps; i < hi.steps; i++) {
            right &= can_multiply(&c, order->step[i]);
            multiply(&c, order->step[i]);
        }
        for (int64_t i = lo.slices; i < hi.slices; i++) {
            right &= !c.here[order->slice[i]] && !graph->slice[order->slice[i]].in_place;
            c.here[order->slice[i]] = true;
        }
        lo = hi;
    }
    return right && lo.steps == graph->steps;
}

/* The load of each resource in a group; the rank's own resource includes its products. */
typedef struct load {
    double of[CHANNELS];
} load;

static load with_slice(const sct_graph *graph, load l, const sct_graph_slice *slice) {
    for (int64_t i = 0; i < slice->uses; i++)
        l.of[graph->use[slice->first_use + i].resource] += graph->use[slice->first_use + i].seconds;
    return l;
}

static double seconds_of_load(const load *l) {
    double most = 0;
    for (int i = 0; i < CHANNELS; i++)
        most = fmax(most, l->of[i]);
    return most;
}

/* The least time from here on, found by trying every selection of steps and slices. */
typedef struct brute {
    sct_limits limits;
    double best;
} brute;

static void try_groups(brute *b, checker c, double spent);

static void try_slices(brute *b, checker c, const checker *after, double spent, load l,
                       int64_t from, int slices, bool some) {
    const sct_graph *graph = c.graph;
    if (some) {
        checker next = *after;
        memcpy(next.here, c.here, sizeof next.here);
        try_groups(b, next, spent + seconds_of_load(&l));
    }
    for (int64_t d = from; d < graph->slices && slices < b->limits.transfers; d++)
        if (graph->slice[d].matrix != SCT_MAT_C && !graph->slice[d].in_place && !c.here[d]) {
            c.here[d] = true;
            try_slices(b, c, after, spent, with_slice(graph, l, &graph->slice[d]), d + 1,
                       slices + 1, true);
            c.here[d] = false;
        }
}

static void try_steps(brute *b, const checker *before, checker c, double spent, load l, int steps) {
    const sct_graph *graph = c.graph;
    try_slices(b, *before, &c, spent, l, 0, 0, steps > 0);
    for (int64_t s = 0; s < graph->steps && steps < b->limits.products; s++)
        if (can_multiply(&c, s)) {
            checker next = c;
            multiply(&next, s);
            const sct_graph_slice *into = &graph->slice[graph->node[s].slice[SCT_MAT_C]];
            load more = !into->in_place && next.left == 0 ? with_slice(graph, l, into) : l;
            more.of[SCT_RESOURCE_RANK] += graph->node[s].seconds;
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

static double seconds_of(const made *m, sct_limits limits, const sct_step_order *order) {
    double seconds = NAN;
    CHECK(draft_right(&m->graph, limits, order));
    CHECK(sct_step_order_seconds(&m->graph, order, &seconds) == SCT_OK);
    return seconds;
}

/* The time of the greedy order, of a wider one, and of the best one. */
static void take_costs(const made *m, sct_limits limits, double seconds[3]) {
    for (int way = 0; way < 3; way++) {
        sct_step_order order;
        double known = way == 2 ? 1.5 * fmin(seconds[0], seconds[1]) : 0;
        CHECK(sct_step_order_create(&m->graph, &order) == SCT_OK);
        CHECK(way == 2
                  ? sct_step_order_search(&m->graph, limits, known, &order) == SCT_OK
                  : sct_step_order_fill(&m->graph, limits,
                                        (sct_fill_policy){way ? 5 : 1, way && limits.products > 1},
                                        &order) == SCT_OK);
        seconds[way] = seconds_of(m, limits, &order);
        sct_step_order_clear(&order);
    }
}

static sct_limits any_limits(uint64_t *random) {
    return (sct_limits){.products = (int)check_between(random, 1, 3),
                        .transfers = (int)check_between(random, 1, 4)};
}

/* The groups together take at least as long as if all were one group. */
static void test_costs(int number, uint64_t *random) {
    made m;
    double seconds[3];
    load all = {{0}};
    sct_limits limits = any_limits(random);
    make_graph(random, (int)check_between(random, 1, 9), 4, &m);
    take_costs(&m, limits, seconds);
    for (int64_t step = 0; step < m.graph.steps; step++)
        all.of[SCT_RESOURCE_RANK] += m.node[step].seconds;
    for (int64_t d = 0; d < m.graph.slices; d++)
        all = with_slice(&m.graph, all, &m.slice[d]);
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

/* Direct order of a graph in which the steps of each sum follow each other: it keeps all limits, so
 * the best order takes no longer. */
static void test_direct(int number, uint64_t *random) {
    made m;
    double seconds[2];
    sct_limits limits = any_limits(random);
    limits.ahead = (int)check_between(random, 0, 3);
    make_graph(random, (int)check_between(random, 1, 9), 4, &m);
    join_sums(&m);
    for (int best = 0; best < 2; best++) {
        sct_step_order order;
        CHECK(sct_step_order_create(&m.graph, &order) == SCT_OK);
        CHECK(best ? sct_step_order_search(&m.graph, limits, 1.5 * seconds[0], &order) == SCT_OK
                   : sct_step_order_direct(&m.graph, limits, &order) == SCT_OK);
        for (int64_t i = 0; i < order.steps && !best; i++)
            CHECK(order.step[i] == i);
        seconds[best] = seconds_of(&m, limits, &order);
        sct_step_order_clear(&order);
    }
    CHECK_CASE(seconds[1] <= seconds[0] * (1 + 1e-9), "graph %d: direct %g, best %g", number,
               seconds[0], seconds[1]);
}

/* Two runs of six steps that share A, and only A costs anything: too many orders are nearly equal.
 */
static void test_too_many(void) {
    static const int slices[] = {6, 12, 2};
    made m;
    begin_graph(12, &m);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int of[MOST_STEPS];
        for (int step = 0; step < 12; step++)
            of[step] = matrix == SCT_MAT_C ? step / 6 : step % slices[matrix];
        sct_graph_slice *slice = add_slices(matrix, slices[matrix], of, &m);
        for (int i = 0; i < slices[matrix]; i++)
            add_use(1, matrix == SCT_MAT_B ? 1e-9 * (1 + i / 6) : 1e-4, &slice[i], &m);
    }
    for (int step = 0; step < 12; step++)
        m.node[step].seconds = 1e-6;
    sct_step_order order;
    CHECK(sct_step_order_create(&m.graph, &order) == SCT_OK);
    CHECK(sct_step_order_search(&m.graph, (sct_limits){.products = 2, .transfers = 4}, 1, &order) ==
          SCT_BAD_ARGUMENT);
    CHECK(!strcmp(sct_last_reason(),
                  "schedule: an exhaustive search of 12 steps tries more than 1000000 groups"));
    CHECK(order.steps == 0);
    sct_step_order_clear(&order);
}

/* Five links. Only one transfer uses the third, which need not be considered. */
static void test_channels(void) {
    static const double seconds[][2] = {{1, 1}, {1, 2}, {3, 0}, {1, 2}, {2, 1}};
    static const int of[] = {0, 1};
    made m;
    sct_exhaustive_problem problem;
    begin_graph(2, &m);
    sct_graph_slice *slice = add_slices(SCT_MAT_A, 2, of, &m);
    for (int i = 0; i < 2; i++)
        for (int link = 0; link < 5; link++)
            if (seconds[link][i] > 0)
                add_use(1 + link, seconds[link][i], &slice[i], &m);
    CHECK(sct_exhaustive_problem_create(&m.graph, &problem) == SCT_OK);
    CHECK(problem.transfers == 2 && problem.resources == 5);
    static const double left[] = {0, 1, 1, 1, 2, 0, 1, 2, 2, 1};
    CHECK(memcmp(problem.use, left, sizeof left) == 0);
    sct_exhaustive_problem_clear(&problem);
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
