/* limit.c - the limit on workspace that plans keep by default: what the rank's parts take, at least
 * 256 MiB, and no more than the machine has. */
#include "planner/planner.h"
#include "support/check.h"
#include "support/problems.h"

enum { USUAL = 256 << 20 };

static const sct_options none = {.size = sizeof none, .workspace = SCT_NO_LIMIT};

static uint64_t moved(const sct_cost *cost) {
    return cost->bytes_got + cost->bytes_accumulated;
}

static sct_problem problem_of(int64_t size, int ranks, sct_layout *layout[3]) {
    static const char *const text[] = {"2d", "2d", "2d"};
    parse_three(size, size, size, ranks, text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, ranks);
    problem.ranks_per_node = 1;
    return problem;
}

static void clear(sct_layout *layout[3]) {
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
}

/* A large cube: by default as much workspace as parts, for up to twice the bytes; a larger limit
 * never costs bytes, since nothing is fetched twice. */
static void test_large(int ranks) {
    sct_layout *layout[3];
    sct_problem problem = problem_of(1000000, ranks, layout);
    sct_cost usual, unlimited, cost;
    size_t parts = 0;
    for (int i = 0; i < 3; i++) {
        size_t bytes;
        CHECK(sct_layout_bytes(layout[i], SCT_F64, 0, &bytes) == SCT_OK);
        parts += bytes;
    }
    CHECK(cost_of(&problem, 0, NULL, &usual) == SCT_OK);
    CHECK(cost_of(&problem, 0, &none, &unlimited) == SCT_OK);
    CHECK_CASE(usual.workspace <= parts && unlimited.workspace > parts, "%d ranks: %llu of %zu",
               ranks, (unsigned long long)usual.workspace, parts);
    CHECK_CASE(moved(&usual) <= 2.1 * (double)moved(&unlimited), "%d ranks: %llu, not %llu", ranks,
               (unsigned long long)moved(&usual), (unsigned long long)moved(&unlimited));
    for (size_t times = 2; times <= 4; times *= 2) {
        sct_options options = {.size = sizeof options, .workspace = times * parts};
        CHECK(cost_of(&problem, 0, &options, &cost) == SCT_OK);
        CHECK_CASE(cost.workspace <= options.workspace && moved(&cost) <= moved(&usual),
                   "%d ranks, %zu times: %llu bytes moved", ranks, times,
                   (unsigned long long)moved(&cost));
    }
    clear(layout);
}

/* Where the limit does not bind, plans are those without one. */
static void test_small(void) {
    sct_layout *layout[3];
    sct_problem problem = problem_of(4096, 4, layout);
    sct_plan *usual, *unlimited;
    CHECK(sct_plan_create(&problem, 1, NULL, &usual) == SCT_OK);
    CHECK(sct_plan_create(&problem, 1, &none, &unlimited) == SCT_OK);
    CHECK(usual->limit == USUAL); /* the parts take less */
    CHECK(unlimited->limit == UINT64_MAX);
    CHECK(sct_plan_hash(usual) == sct_plan_hash(unlimited));
    sct_plan_destroy(usual);
    sct_plan_destroy(unlimited);
    clear(layout);
}

/* A machine with less memory than the parts and the usual workspace. */
static void test_capacity(void) {
    sct_layout *layout[3];
    sct_problem problem = problem_of(4096, 4, layout);
    struct sct_machine machine = sct_machine_default(1, false);
    machine.capacity = 128 << 20; /* 96 MiB of which are parts */
    sct_options options = {.size = sizeof options, .machine = &machine};
    sct_plan *plan;
    CHECK(sct_plan_create(&problem, 0, &options, &plan) == SCT_OK);
    CHECK(plan->limit == 32 << 20 && plan->cost.workspace <= 32 << 20);
    sct_plan_destroy(plan);
    machine.capacity = 64 << 20; /* nothing is left: the product takes what it must */
    CHECK(sct_plan_create(&problem, 0, &options, &plan) == SCT_OK);
    CHECK(plan->limit == UINT64_MAX);
    sct_plan_destroy(plan);
    clear(layout);
}

/* A limit of a few slices: with a larger one, no more is moved. */
static void test_tight(const char *const text[3]) {
    sct_layout *layout[3];
    double least = 0;
    parse_three(512, 4096, 512, 8, text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, 8);
    problem.ranks_per_node = 1;
    for (size_t limit = 128 << 10; limit <= 8 << 20; limit *= 2) {
        sct_options options = {.size = sizeof options, .workspace = limit};
        sct_cost cost;
        CHECK(cost_of(&problem, 3, &options, &cost) == SCT_OK);
        double bytes = (double)moved(&cost);
        CHECK_CASE(least == 0 || bytes <= 1.05 * least, "%s %s %s, limit %zu: %g bytes, not %g",
                   text[0], text[1], text[2], limit, bytes, least);
        least = least == 0 || bytes < least ? bytes : least;
    }
    clear(layout);
}

static void test_tight_limits(void) {
    static const char *const names[] = {"row", "col", "2d"};
    for (int i = 0; i < 27; i++)
        test_tight((const char *[3]){names[i / 9], names[i / 3 % 3], names[i % 3]});
}

int main(void) {
    test_large(512);
    test_large(4096);
    test_small();
    test_capacity();
    test_tight_limits();
    return check_report("limit");
}
