/* estimate.c - the bytes that ranks move, estimated from the layouts alone, are those of their
 * plans; and how long they take. */
#include "cost/estimate.h"
#include "plan/constants.h"
#include "support/check.h"
#include "support/layouts.h"
#include "support/problems.h"

#include <math.h>

enum { CASES = 400, MOST = 12, MATRICES = 3 };

typedef struct problem {
    sct_layout *layout[MATRICES];
    sct_problem value;
    sct_options options;
} problem;

/* A random layout with a grid. Without one, separate tiles of a rank would share what they need. */
static void make_layout(uint64_t *random, int64_t rows, int64_t cols, sct_layout **layout) {
    for (*layout = make_random_layout(random, rows, cols); (*layout)->owner_of;
         *layout = make_random_layout(random, rows, cols))
        sct_layout_destroy(*layout);
}

static void make_problem(uint64_t *random, problem *p) {
    int64_t m = check_between(random, 1, MOST), n = check_between(random, 1, MOST);
    int64_t k = check_between(random, 1, MOST);
    make_layout(random, m, k, &p->layout[0]);
    make_layout(random, k, n, &p->layout[1]);
    make_layout(random, m, n, &p->layout[2]);
    int ranks = 1;
    for (int i = 0; i < MATRICES; i++)
        ranks = sct_layout_ranks(p->layout[i]) > ranks ? sct_layout_ranks(p->layout[i]) : ranks;
    p->value = (sct_problem){.size = sizeof p->value,
                             .type = (sct_type)check_between(random, 0, 3),
                             .a = p->layout[0],
                             .b = p->layout[1],
                             .c = p->layout[2],
                             .ranks = ranks,
                             .ranks_per_node = (int)check_between(random, 1, 4)};
    p->options = (sct_options){.size = sizeof p->options,
                               .stay = (sct_stay)check_between(random, 1, 3),
                               .slicing = (sct_slicing)check_between(random, 0, 1)};
}

/* The flows of each of two levels, added up. */
static void sum_flows(const sct_workload *work, double sum[2]) {
    for (int level = 0; level < 2; level++)
        sum[level] =
            work->traffic[level].read + work->traffic[level].got + work->traffic[level].added;
}

/* Operands used in place count once for each step that uses them, so flows are only compared if no
 * memory is within reach. */
static void test_rank(int number, const problem *p, int rank) {
    struct sct_machine machine = sct_machine_default(p->value.ranks_per_node, false);
    sct_plan *plan;
    sct_workload planned, reckoned = {.computing = 0}, reducing = {.computing = 0};
    double by_plan[2], by_layouts[2];
    if (!CHECK(sct_plan_create(&p->value, rank, &p->options, &plan) == SCT_OK))
        return;
    CHECK(sct_workload_of_plan(plan, &machine, &planned) == SCT_OK);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        if (!sct_work_keeps(&plan->work, matrix))
            sct_workload_add_moving(&plan->product, &machine, &plan->work, matrix, rank, &reckoned);
    sct_workload_add_reduction(&plan->product, &machine, rank, &reducing);
    const sct_cost *cost = &plan->cost;
    double moved = (double)(cost->bytes_got + cost->bytes_in_place + cost->bytes_accumulated -
                            cost->bytes_reduced);
    CHECK_CASE(sct_workload_bytes(&machine, &planned) == moved, "case %d, rank %d: %g, not %g",
               number, rank, sct_workload_bytes(&machine, &planned), moved);
    CHECK_CASE(planned.steps == (double)cost->steps, "case %d, rank %d: steps", number, rank);
    if (p->value.ranks_per_node == 1) {
        sum_flows(&planned, by_plan);
        sum_flows(&reckoned, by_layouts);
        CHECK_CASE(by_plan[0] == by_layouts[0] && by_plan[1] == by_layouts[1],
                   "case %d, rank %d: %g and %g, not %g and %g", number, rank, by_layouts[0],
                   by_layouts[1], by_plan[0], by_plan[1]);
    }
    CHECK_CASE(p->options.result != SCT_RESULT_ALL ||
                   sct_workload_bytes(&machine, &reducing) == (double)cost->bytes_reduced,
               "case %d, rank %d: replicas", number, rank);
    sct_plan_destroy(plan);
}

static void test_random(int number, uint64_t *random) {
    problem p;
    make_problem(random, &p);
    for (int rank = 0; rank < p.value.ranks; rank++)
        test_rank(number, &p, rank);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(p.layout[i]);
}

static bool alike(double x, double y) {
    return fabs(x - y) <= 1e-9 * y;
}

/* Nodes of two ranks with an uplink of 119 MB/s, which both ranks share. Each end spends 0.32 s of
 * a core per GB. */
static void test_seconds(void) {
    struct sct_machine machine = sct_machine_default(2, false);
    sct_workload work = {.computing = 10, .steps = 4};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), 10));
    /* What computing does not hide comes in addition. */
    work.traffic[1].got = 119e6;
    work.alone = 0.5;
    CHECK(
        alike(sct_workload_seconds(&machine, 8, &work), hypot(10 + 2 * 119e6 * 0.32e-9, 2) + 0.5));
    /* If communication takes longer, the last part is computed after it. Where both take about as
     * long, neighbours on the uplink make a rank wait; not without one. */
    work.traffic[1].got = 1190e6;
    double computing = 10 + 2 * 1190e6 * 0.32e-9;
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), hypot(20, computing) + computing / 4));
    struct sct_machine ports = machine;
    ports.level[1].port = ports.level[1].uplink / 2;
    ports.level[1].uplink = INFINITY;
    CHECK(alike(sct_workload_seconds(&ports, 8, &work), 20 + (10 + 2 * 1190e6 * 0.32e-9) / 4));
    /* A rank that sends more than it gets is limited by that. */
    work = (sct_workload){.steps = 1e99, .traffic = {{.got = 0}, {.got = 119e6, .served = 476e6}}};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), hypot(4, (119e6 + 476e6) * 0.32e-9)));
    /* While accumulates arrive, products run at half speed. */
    machine.slowed = 0.5;
    work = (sct_workload){.computing = 10, .steps = 4, .traffic = {{.got = 0}, {.added = 119e6}}};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), hypot(10 + 2 * 119e6 * 0.32e-9 + 1, 2)));
    machine.gets = 1;
    work = (sct_workload){.steps = 1, .traffic = {{.got = 0}, {.messages = 3}}};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), 300e-6));
    /* Within a node the rank itself reads, adds and copies. */
    work = (sct_workload){.computing = 1, .steps = 1, .copied = 20e9, .traffic = {{.read = 40e9}}};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), 3));
    work = (sct_workload){.computing = 1, .steps = 1, .traffic = {{.added = 20e9}}};
    CHECK(alike(sct_workload_seconds(&machine, 8, &work), 1 + 1 + 2));
}

static void test_samples(void) {
    bool seen[100] = {false}, columns[8] = {false};
    for (int i = 0; i < 100; i++)
        seen[sct_sample_rank(100, 100, i)] = true;
    for (int i = 0; i < 100; i++)
        CHECK(seen[i]);
    for (int i = 0; i < 32; i++)
        columns[sct_sample_rank(4096, 32, i) % 8] = true;
    for (int i = 0; i < 8; i++)
        CHECK_CASE(columns[i], "no rank of column %d", i);
}

static sct_stay stay_of(const char *a, const char *b, const char *c, int64_t m, int64_t n,
                        int64_t k, int ranks_per_node) {
    enum { RANKS = 4 };
    sct_layout *layout[MATRICES];
    sct_plan *plan;
    CHECK(sct_layout_parse(a, m, k, RANKS, &layout[0]) == SCT_OK);
    CHECK(sct_layout_parse(b, k, n, RANKS, &layout[1]) == SCT_OK);
    CHECK(sct_layout_parse(c, m, n, RANKS, &layout[2]) == SCT_OK);
    sct_problem value = {.size = sizeof value,
                         .type = SCT_F64,
                         .a = layout[0],
                         .b = layout[1],
                         .c = layout[2],
                         .ranks = RANKS,
                         .ranks_per_node = ranks_per_node};
    CHECK(sct_plan_create(&value, 0, NULL, &plan) == SCT_OK);
    sct_stay stay = sct_plan_stay(plan);
    sct_plan_destroy(plan);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(layout[i]);
    return stay;
}

/* The stationary matrix is the one with which the least moves, unless one rank would then do all
 * the work, or the busiest rank moves as much while the others move little. */
static void test_stays(void) {
    CHECK(stay_of("row", "row", "row", 1024, 1024, 1024, 4) == SCT_STAY_C);
    CHECK(stay_of("row", "row", "row", 1024, 64, 16384, 4) == SCT_STAY_A);
    CHECK(stay_of("col", "col", "col", 64, 1024, 16384, 4) == SCT_STAY_B);
    CHECK(stay_of("row@1", "row", "row", 4096, 64, 4096, 4) == SCT_STAY_C);
    CHECK(stay_of("2d", "2d", "2d", 256, 256, 65536, 1) == SCT_STAY_C);
}

/* Of two that take the same time, the one that communicates less is better; but not if that makes
 * it much slower. */
static void test_better(void) {
    sct_estimate quiet = {.slowest = 1, .moving = 0.1}, busy = {.slowest = 1, .moving = 0.9},
                 slow = {.slowest = 2, .moving = 0.1};
    CHECK(sct_estimate_weight(quiet) < sct_estimate_weight(busy));
    CHECK(sct_estimate_weight(busy) < sct_estimate_weight(slow));
}

enum { RANKS = 64, SIZE = 640 };

/* Of 64 ranks, with C stationary. */
/* Makes square matrices in these layouts on so many ranks, and their product. */
static void make_product(const char *const text[MATRICES], int64_t size, int ranks,
                         int ranks_per_node, sct_layout *layout[MATRICES], sct_product *product) {
    for (int i = 0; i < MATRICES; i++)
        CHECK(sct_layout_parse(text[i], size, size, ranks, &layout[i]) == SCT_OK);
    const sct_problem value = {.size = sizeof value,
                               .type = SCT_F64,
                               .a = layout[0],
                               .b = layout[1],
                               .c = layout[2],
                               .ranks = ranks,
                               .ranks_per_node = ranks_per_node};
    sct_problem known;
    CHECK(sct_problem_resolve(&value, &known) == SCT_OK);
    CHECK(sct_product_create(&known, product) == SCT_OK);
}

static void clear_product(sct_layout *layout[MATRICES], sct_product *product) {
    sct_product_clear(product);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(layout[i]);
}

static sct_estimate estimate_of(const char *const text[MATRICES], int ranks_per_node, double most) {
    sct_layout *layout[MATRICES];
    sct_product product;
    struct sct_machine machine = sct_machine_default(ranks_per_node, false);
    make_product(text, SIZE, RANKS, ranks_per_node, layout, &product);
    sct_work_layout work = sct_work_stationary(&product, SCT_MAT_C);
    sct_estimate found;
    CHECK(sct_estimate_find(&product, &machine, &work, most, &found) == SCT_OK);
    clear_product(layout, &product);
    return found;
}

/* An estimate is exact up to the limit. Above it, looking at ranks stops early: rank 5, which has
 * all of A, is not the first. */
static void test_limit(void) {
    static const char *const text[] = {"row@1%5", "row", "row"};
    double weight = sct_estimate_weight(estimate_of(text, 1, INFINITY)),
           first = sct_estimate_weight(estimate_of(text, 1, 0));
    CHECK(sct_estimate_weight(estimate_of(text, 1, weight)) == weight);
    CHECK_CASE(first > 0 && first < weight, "%g of %g", first, weight);
}

/* Ranks 0 and 1 have all of B. On one node they share its link, also if not all ranks are looked
 * at.
 */
static void test_shared_link(void) {
    static const char *const text[] = {"row", "col@2", "row"};
    double alone = estimate_of(text, 1, INFINITY).moving,
           shared = estimate_of(text, 2, INFINITY).moving;
    CHECK_CASE(shared > 1.9 * alone && shared < 2 * alone, "%g and %g", alone, shared);
}

/* Rank 0 has A and B, and only it and its neighbour work: nothing goes over the link. */
static void test_near_workers(void) {
    static const char *const text[] = {"row@1", "row@1", "col@2"};
    const double link = 119e6, moved = 2 * SIZE * SIZE * sizeof(double);
    double seconds = estimate_of(text, 2, INFINITY).moving;
    CHECK_CASE(seconds < 0.1 * moved / link, "%g s", seconds);
}

/* Of 64 ranks, 16 have a row of A each, and the last one works on 2 rows: it gets 2 messages. */
static void test_few_owners(void) {
    enum { MANY = 64, ROWS = 16 };
    static const char *const text[] = {"row", "col", "2d"};
    sct_layout *layout[MATRICES];
    sct_product product;
    struct sct_machine machine = sct_machine_default(1, false);
    make_product(text, ROWS, MANY, 1, layout, &product);
    sct_work_layout work = sct_work_stationary(&product, SCT_MAT_C);
    sct_workload found = {.computing = 0};
    sct_workload_add_moving(&product, &machine, &work, SCT_MAT_A, MANY - 1, &found);
    double messages = 1 + (found.traffic[1].messages - 1) * SCT_MESSAGES_AT_ONCE;
    CHECK_CASE(messages == 2, "%g messages", messages);
    clear_product(layout, &product);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    test_seconds();
    test_samples();
    test_stays();
    test_better();
    test_limit();
    test_shared_link();
    test_near_workers();
    test_few_owners();
    return check_report("estimate");
}
