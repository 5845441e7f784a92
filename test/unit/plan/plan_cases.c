/* plan_cases.c - plans of selected problems: slicing by class, panels, limits, reach, hashes, no
 * steps. */
#include "plan/plan.h"
#include "support/check.h"
#include "support/problems.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MATRICES = 3 };

typedef struct problem {
    sct_layout *layout[MATRICES];
    sct_problem value;
} problem;

static void free_problem(problem *p) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(p->layout[i]);
}

static void make_plain(int64_t m, int64_t k, int64_t n, int ranks, const char *const text[MATRICES],
                       problem *p) {
    parse_three(m, k, n, ranks, text, p->layout);
    p->value = problem_with(SCT_F64, p->layout, ranks);
}

/* A 4096-cube in 64-blocks on a 2 x 2 grid: two products by class, 32 x 32 x 64 by tile. */
static void test_classes(void) {
    static problem p;
    static const char *const cyclic[] = {"cyclic:64x64", "cyclic:64x64", "cyclic:64x64"};
    make_plain(4096, 4096, 4096, 4, cyclic, &p);
    for (int rank = 0; rank < 4; rank++) {
        sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
        sct_cost cost;
        CHECK(cost_of(&p.value, rank, &options, &cost) == SCT_OK && cost.steps == 2);
        CHECK(cost.workspace == 0 && cost.bytes_gathered == 0);
        CHECK(cost.bytes_in_place == 2u * 2048 * 2048 * 8);
        options.slicing = SCT_SLICE_TILE;
        CHECK(cost_of(&p.value, rank, &options, &cost) == SCT_OK && cost.steps == 65536);
    }
    free_problem(&p);
}

/* Four accumulates are in flight and two products; one of each if all memory is within reach. */
static void test_depths(void) {
    static problem p;
    static const char *const rows[] = {"row", "row", "row"};
    static const int ranks[] = {2, 3, 4, 9};
    const sct_options options = {.size = sizeof options};
    for (int i = 0; i < 4; i++)
        for (int near = 0; near < 2; near++) {
            sct_plan *plan;
            make_plain(64, 64, 64, ranks[i], rows, &p);
            p.value.ranks_per_node = near ? ranks[i] : 1;
            if (CHECK(sct_plan_create(&p.value, 0, &options, &plan) == SCT_OK))
                CHECK(plan->options.accumulates_in_flight == (near ? 1 : 4) &&
                      plan->options.products_in_flight == 2 - near);
            sct_plan_destroy(plan);
            free_problem(&p);
        }
}

/* A machine on which one product of a rank is in flight at once. */
static void test_depth_of_machine(void) {
    static const char one[] =
        "{\"name\":\"one\",\"peak\":{\"f64\":1e9},\"in_flight\":{\"products\":1},"
        "\"links\":[{\"pair\":1e9}]}";
    static const char *const rows[] = {"row", "row", "row"};
    static problem p;
    sct_machine *machine;
    sct_plan *plan;
    make_plain(64, 64, 64, 4, rows, &p);
    p.value.ranks_per_node = 1;
    CHECK(sct_machine_parse(one, "one", &machine) == SCT_OK);
    const sct_options options = {.size = sizeof options, .machine = machine};
    if (CHECK(sct_plan_create(&p.value, 0, &options, &plan) == SCT_OK))
        CHECK(plan->options.products_in_flight == 1);
    sct_plan_destroy(plan);
    sct_machine_destroy(machine);
    free_problem(&p);
}

/* A limit too small for the sums of C is refused before there are so many steps that it takes time;
 * the reason names the bytes that suffice. */
static void test_sums(void) {
    static problem p;
    static const char *const rows[] = {"row", "row", "row"};
    const size_t sums = 2048 * 4096 * sizeof(float);
    make_plain(4096, 4096, 4096, 2, rows, &p);
    p.value.type = SCT_F16;
    for (int round = 0; round < 2; round++) {
        sct_options options = {.size = sizeof options, .workspace = round ? sums - 1 : 1};
        sct_cost cost;
        unsigned long long lacks = 0;
        CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_WORKSPACE);
        CHECK(sscanf(sct_last_reason(), "a workspace of %*u bytes is too small by %llu", &lacks) ==
              1);
        options.workspace += (size_t)lacks;
        CHECK(options.workspace > sums && options.workspace < sums + sums / 64);
        CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_OK && cost.steps < 100000);
    }
    free_problem(&p);
}

/* 2^63 steps, of 2^21 pieces in each dimension. */
static void test_too_many_steps(void) {
    static problem p;
    static const char *const single[] = {"cyclic:1x1", "cyclic:1x1", "cyclic:1x1"};
    const int64_t size = (int64_t)1 << 21;
    sct_options options = {.size = sizeof options, .slicing = SCT_SLICE_TILE};
    sct_cost cost;
    make_plain(size, size, size, 1, single, &p);
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_TOO_LARGE);
    free_problem(&p);
}

/* 12 steps, no more than are searched, of 24 slices, each of another rank. */
static void test_too_many_to_search(void) {
    static problem p;
    static const char *const others[] = {"col@12%1,2,3,4,5,6,7,8,9,10,11,12",
                                         "row@12%1,2,3,4,5,6,7,8,9,10,11,12", "row@1"};
    sct_decisions apart = {.size = sizeof apart};
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_C,
                           .decisions = &apart,
                           .schedule = SCT_EXHAUSTIVE};
    sct_cost cost;
    CHECK(sct_decisions_parse("nest=kmn", &apart) == SCT_OK);
    make_plain(12, 12, 12, 13, others, &p);
    p.value.ranks_per_node = 1;
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "takes at most 20") != NULL);
    free_problem(&p);
}

/* Sizes beyond 32 bits, and many ranks. Rank 0 gets what others own in its row and column. */
static void test_large(int ranks, const char *grid, int64_t rows, int64_t cols) {
    static problem p;
    const int64_t size = 1000000;
    const char *const text[] = {grid, grid, grid};
    make_plain(size, size, size, ranks, text, &p);
    p.value.ranks_per_node = 1;
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_C, .workspace = SIZE_MAX};
    sct_cost cost;
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_OK);
    uint64_t height = (uint64_t)(size / rows), width = (uint64_t)(size / cols);
    CHECK_CASE(cost.bytes_got ==
                   8 * (height * ((uint64_t)size - width) + ((uint64_t)size - height) * width),
               "%s: %" PRIu64 " bytes", grid, cost.bytes_got);
    CHECK(cost.flops == 2.0 * (double)height * (double)width * (double)size);
    CHECK(cost.steps <= 1000000);
    free_problem(&p);
}

/* If A and B are equal, the stationary one is that which does not cut sums along C's lines. */
static void test_ties(void) {
    static problem p;
    static const char *const text[][SCT_MATS] = {{"col", "row", "2d"}, {"col", "row", "2d/f"}};
    for (int by_cols = 0; by_cols < 2; by_cols++) {
        sct_plan *plan;
        make_plain(64, 64, 64, 2, text[by_cols], &p);
        p.value.ranks_per_node = 1;
        CHECK(sct_plan_create(&p.value, 0, NULL, &plan) == SCT_OK);
        CHECK(sct_plan_stay(plan) == (by_cols ? SCT_STAY_A : SCT_STAY_B));
        sct_plan_destroy(plan);
        free_problem(&p);
    }
}

/* If only one matrix is beyond reach, only that one is got, whichever stays. Callers that
 * do not know the per-matrix reach need not set it. */
static void test_reach(void) {
    enum { SIZE = 64, HALF = SIZE * SIZE * 8 / 2 };
    static problem p;
    static const char *const rows[] = {"row", "row", "row"};
    sct_options options = {.size = sizeof options, .stay = SCT_STAY_C}, any = {.size = sizeof any};
    sct_plan *near, *far;
    sct_cost cost;
    make_plain(SIZE, SIZE, SIZE, 2, rows, &p);
    CHECK(sct_plan_create(&p.value, 0, &any, &near) == SCT_OK);
    p.value.ranks_per_node_b = 1;
    CHECK(sct_plan_create(&p.value, 0, &any, &far) == SCT_OK);
    CHECK(sct_plan_stay(near) == SCT_STAY_C && sct_plan_stay(far) == SCT_STAY_C);
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_OK);
    CHECK(cost.bytes_got == HALF && cost.bytes_in_place == 0);
    p.value.ranks_per_node = 1;
    p.value.ranks_per_node_b = 2;
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_OK);
    CHECK(cost.bytes_got == 0 && cost.bytes_in_place == HALF);
    p.value.ranks_per_node_a = -1;
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_BAD_ARGUMENT);
    p.value.size = offsetof(sct_problem, ranks_per_node_a);
    CHECK(cost_of(&p.value, 0, &options, &cost) == SCT_OK && cost.bytes_got == HALF);
    sct_plan_destroy(near);
    sct_plan_destroy(far);
    free_problem(&p);
}

static uint64_t hash_of(const sct_problem *value, int rank, const sct_options *options) {
    sct_plan *plan;
    if (!CHECK(sct_plan_create(value, rank, options, &plan) == SCT_OK))
        return 0;
    uint64_t hash = sct_plan_hash(plan);
    sct_plan_destroy(plan);
    return hash;
}

/* Whatever does not change the steps does not change the hash; whatever does, does. */
static void test_hash(void) {
    enum { OPTIONS = 6, PROBLEMS = 5, RANKS = 4, ALL = RANKS * OPTIONS * PROBLEMS };
    static problem p;
    static const char *const texts[] = {"2d", "row", "cyclic:8x8"};
    make_plain(64, 64, 64, RANKS, texts, &p);
    sct_options plain = {.size = sizeof plain, .stay = SCT_STAY_C}, deep = plain;
    deep.prefetch = deep.products_in_flight = deep.accumulates_in_flight = 3;
    CHECK(hash_of(&p.value, 1, &plain) == hash_of(&p.value, 1, &deep));
    sct_options options[OPTIONS] = {plain, plain, plain, plain, plain, plain};
    options[1].stay = SCT_STAY_A;
    options[2].slicing = SCT_SLICE_TILE;
    options[3].ordered = 1;
    options[4].result = SCT_RESULT_ORIGIN;
    options[5].fetch = SCT_FETCH_TILE;
    sct_problem problems[PROBLEMS] = {p.value, p.value, p.value, p.value, p.value};
    problems[1].type = SCT_F32;
    problems[2].op_a = SCT_T;
    problems[3].ranks_per_node = 1;
    problems[4].b = p.layout[0];
    uint64_t seen[ALL];
    for (int i = 0; i < ALL; i++) {
        const sct_options *asked = &options[i / RANKS % OPTIONS];
        seen[i] = hash_of(&problems[i / RANKS / OPTIONS], i % RANKS, asked);
        for (int j = 0; j < i; j++)
            CHECK_CASE(seen[i] != seen[j], "plans %d and %d have one hash", j, i);
    }
    free_problem(&p);
}

/* Where in k a rank's steps begin. */
static void list_k(const problem *p, int rank, const sct_options *options, int64_t k[4]) {
    sct_plan *plan;
    CHECK(sct_plan_create(&p->value, rank, options, &plan) == SCT_OK);
    for (int i = 0; i < 4; i++) {
        sct_step step;
        CHECK(sct_plan_step(plan, i, &step) == SCT_OK);
        k[i] = step.k.first.lo;
    }
    sct_plan_destroy(plan);
}

/* Another order of the same steps is another plan; an option that gives the same order is not. */
static void check_order_hash(const char *const texts[MATRICES], const int64_t first[4],
                             const bool same[4]) {
    static problem p;
    make_plain(128, 128, 128, 4, texts, &p);
    p.value.ranks_per_node = 1;
    sct_options direct = {.size = sizeof direct, .stay = SCT_STAY_C};
    sct_options greedy = direct, alike = direct;
    greedy.schedule = SCT_GREEDY;
    alike.start = SCT_START_ALIKE;
    for (int rank = 0; rank < 4; rank++) {
        int64_t k[3][4];
        list_k(&p, rank, &direct, k[0]);
        list_k(&p, rank, &greedy, k[1]);
        list_k(&p, rank, &alike, k[2]);
        uint64_t hash = hash_of(&p.value, rank, &direct);
        CHECK(k[0][0] == first[rank] && k[2][0] == 0);
        CHECK((memcmp(k[0], k[1], sizeof k[0]) == 0) == same[rank]);
        CHECK((hash_of(&p.value, rank, &greedy) == hash) == same[rank]);
        CHECK((hash_of(&p.value, rank, &alike) == hash) == (first[rank] == 0));
    }
    free_problem(&p);
}

/* Rank r starts with piece r / 2 + r % 2 of k; in greedy order, rank 3 with what it owns of both A
 * and B. */
static void test_order_hash(void) {
    check_order_hash((const char *const[]){"2d", "row", "2d"}, (const int64_t[]){0, 32, 32, 64},
                     (const bool[]){true, true, true, false});
    check_order_hash((const char *const[]){"row", "2d", "row"}, (const int64_t[]){0, 64, 0, 64},
                     (const bool[]){true, false, false, true});
}

/* If the free dimension is shorter than the number of replicas, some replicas have no work. */
static void test_idle_replicas(void) {
    static const char *const text[MATRICES] = {"row", "col", "row*4"};
    static problem p;
    const sct_options options = {.size = sizeof options, .stay = SCT_STAY_C};
    make_plain(6, 2, 5, 8, text, &p);
    for (int rank = 0; rank < 8; rank++) {
        sct_cost cost;
        int replica = rank / 2;
        CHECK(cost_of(&p.value, rank, &options, &cost) == SCT_OK);
        CHECK_CASE((cost.steps > 0) == (replica * 2 / 4 < (replica + 1) * 2 / 4),
                   "rank %d has %" PRId64 " steps", rank, cost.steps);
    }
    CHECK(sct_plan_check(&p.value, &options) == SCT_OK);
    free_problem(&p);
}

int main(void) {
    test_classes();
    test_depths();
    test_depth_of_machine();
    test_sums();
    test_large(4, "2d:2x2", 2, 2);
    test_large(1000, "2d:25x40", 25, 40);
    test_ties();
    test_reach();
    test_hash();
    test_order_hash();
    test_idle_replicas();
    test_too_many_steps();
    test_too_many_to_search();
    return check_report("plan_cases");
}
