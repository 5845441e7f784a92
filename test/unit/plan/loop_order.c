/* loop_order.c - the first step of each rank, and the order of the others. */
#include "plan/operand.h"
#include "support/check.h"
#include "support/problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char wide_panels[] = "nest=mnk,n=1536,begin=behind+shifted+shifted,ahead=2";
static const char on_grid[] = "nest=mnk,begin=behind+shifted+shifted,ahead=2";

/* C = AB, with C m x n, on ranks of which none reaches another's memory, done as the text says. */
typedef struct far_problem {
    int64_t m, k, n;
    int ranks;
    const char *text[3];
    sct_stay stay;
    const char *decisions;
} far_problem;

static sct_plan *plan_of(const far_problem *p, int ranks_per_node, int rank) {
    sct_layout *layout[3];
    parse_three(p->m, p->k, p->n, p->ranks, p->text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, p->ranks);
    problem.ranks_per_node = ranks_per_node;
    sct_decisions decisions = {.size = sizeof decisions};
    CHECK(sct_decisions_parse(p->decisions, &decisions) == SCT_OK);
    const sct_options options = {.size = sizeof options, .stay = p->stay, .decisions = &decisions};
    sct_plan *plan = NULL;
    CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK);
    for (int i = 0; i < 3; i++)
        sct_layout_destroy(layout[i]);
    return plan;
}

/* A step of a rank's plan, and the number of steps. */
static sct_step step_of(const far_problem *p, int ranks_per_node, int rank, int64_t index,
                        int64_t *steps) {
    sct_plan *plan = plan_of(p, ranks_per_node, rank);
    sct_step step;
    sct_cost cost;
    memset(&step, -1, sizeof step);
    CHECK(sct_plan_step(plan, index, &step) == SCT_OK);
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
    *steps = cost.steps;
    sct_plan_destroy(plan);
    return step;
}

static sct_step first_step(const far_problem *p, int ranks_per_node, int rank) {
    int64_t steps;
    return step_of(p, ranks_per_node, rank, 0, &steps);
}

/* Contributions to other ranks are computed first, so that they travel while the rank computes its
 * own part. */
static void test_own_part_last(void) {
    far_problem p = {
        90, 60, 30, 3, {"col", "row", "row"}, SCT_STAY_A, "nest=mnk,begin=behind+shifted+shifted"};
    for (int i = 0; i < 6; i++) {
        int rank = i / 2;
        p.stay = i % 2 ? SCT_STAY_A : SCT_STAY_B;
        for (int t = 0; t < 3; t++) {
            int64_t steps;
            sct_step step = step_of(&p, 1, rank, t, &steps);
            CHECK(step.owner_a == rank && step.owner_b == rank &&
                  step.owner_c == (rank + 1 + t) % 3);
        }
    }
}

/* Rows of B come from three ranks, in panels: the owners take turns, the rank's own rows first, and
 * all panels of one owner follow each other. */
static void test_owners_take_turns(void) {
    enum { RANKS = 3, STEPS = 9 };
    const far_problem p = {6,
                           256 * STEPS,
                           1024,
                           RANKS,
                           {"row", "row", "row"},
                           SCT_STAY_C,
                           "nest=kmn,k=256,begin=shifted+own+shifted"};
    for (int rank = 0; rank < RANKS; rank++)
        for (int t = 0; t < STEPS; t++) {
            int64_t steps;
            sct_step step = step_of(&p, 1, rank, t, &steps);
            int owner = (rank + t) % RANKS, panel = (rank + t) % STEPS / RANKS;
            CHECK(steps == STEPS);
            CHECK(step.owner_b == owner && step.k.first.lo == 256 * (3 * owner + panel));
        }
}

/* Half of the rank's own part is multiplied before the other's and half after. */
static void test_own_halves(void) {
    static const int64_t begin[] = {768, 0, 256, 512};
    const far_problem p = {1024,
                           512,
                           128,
                           2,
                           {"row", "row", "row"},
                           SCT_STAY_B,
                           "nest=mnk,m=256,begin=halfway+shifted+shifted"};
    int64_t steps;
    for (int t = 0; t < 4; t++) {
        sct_step step = step_of(&p, 1, 1, t, &steps);
        int owner = begin[t] >= 512;
        CHECK(steps == 4 && step.m.first.lo == begin[t]);
        CHECK(step.owner_a == owner && step.owner_c == owner);
    }
}

/* If ranks end with their own part of C, they add to different ranks at any time: on a grid like
 * that of the stationary matrix, and where the grid does not cut C. */
static void test_led_by_sums(void) {
    enum { RANKS = 4 };
    static const far_problem cases[] = {
        {512, 512, 1024, RANKS, {"2d", "2d", "2d"}, SCT_STAY_B, "nest=mnk,begin=behind+own+behind"},
        {1024, 512, 512, RANKS, {"2d", "2d", "2d"}, SCT_STAY_A, "nest=nmk,begin=behind+own+behind"},
        {512,
         8192,
         512,
         RANKS,
         {"col", "row", "2d"},
         SCT_STAY_A,
         "nest=nmk,begin=behind+shifted+behind"},
        {512,
         8192,
         512,
         RANKS,
         {"col", "row", "2d"},
         SCT_STAY_B,
         "nest=mnk,begin=behind+shifted+behind"}};
    for (int i = 0; i < 4; i++) {
        int64_t steps;
        step_of(&cases[i], 1, 0, 0, &steps);
        for (int64_t t = 0; t < steps; t++) {
            int seen = 0;
            for (int rank = 0; rank < RANKS; rank++) {
                int owner = step_of(&cases[i], 1, rank, t, &steps).owner_c;
                CHECK_CASE((owner == rank) == (t == steps - 1),
                           "case %d: rank %d adds to %d in step %d of %d", i, rank, owner, (int)t,
                           (int)steps);
                seen |= 1 << owner;
            }
            CHECK(seen == (1 << RANKS) - 1);
        }
    }
}

/* Rows of A are got and rows of C sent for the same steps: the rank's own come first or last. */
static void test_own_part_first(void) {
    far_problem p = {
        8, 128, 8, 2, {"row", "row", "row"}, SCT_STAY_B, "nest=mnk,begin=own+shifted+shifted"};
    sct_step step = first_step(&p, 1, 0);
    CHECK(step.owner_a == 0 && step.owner_c == 0);
    p.decisions = "nest=mnk,begin=behind+shifted+shifted";
    step = first_step(&p, 1, 0);
    CHECK(step.owner_a == 1 && step.owner_c == 1);
}

/* If one dimension has as many owners as ranks, each rank begins after its own part, so that no two
 * ranks begin with the same owner. If the rank owns nothing, or if starts are shifted, its place in
 * the grid decides. */
static void check_first_owners(const char *rows, const char *begin, const int first[4]) {
    char decisions[100];
    snprintf(decisions, sizeof decisions, "nest=mnk,begin=%s+shifted+shifted", begin);
    const far_problem p = {16, 8, 8, 4, {rows, "2d", rows}, SCT_STAY_B, decisions};
    for (int rank = 0; rank < 4; rank++) {
        sct_step step = first_step(&p, 1, rank);
        CHECK_CASE(step.owner_c == first[rank], "%s: rank %d begins at %d", rows, rank,
                   step.owner_c);
    }
}

/* If owners do not cut what has to travel, ranks begin one panel apart. */
static void check_first_panel(const char *b, int ranks_per_node, const int64_t first[4]) {
    const far_problem p = {512,
                           16384,
                           64,
                           4,
                           {"cyclic:64x64@2x2", b, "col"},
                           SCT_STAY_B,
                           "nest=mnk,k=256,gather=ak+am,begin=shifted+shifted+shifted"};
    for (int rank = 0; rank < 4; rank++) {
        sct_step step = first_step(&p, ranks_per_node, rank);
        CHECK_CASE(step.k.first.lo == first[rank], "%s: rank %d begins at %" PRId64, b, rank,
                   step.k.first.lo);
    }
}

/* Panels of A are gathered from several owners: a rank begins with that which has rows of its own.
 * Whether C has such panels, too, of which all have rows of the rank's own, does not matter. */
static void test_own_gathered(void) {
    static const char *const c[] = {"col", "cyclic:64x64@2x2"};
    for (int i = 0; i < 2; i++) {
        const far_problem p = {512,
                               256,
                               64,
                               4,
                               {"row%3,2,1,0", "row", c[i]},
                               SCT_STAY_B,
                               "nest=mnk,m=256,gather=am+cm,begin=shifted+shifted+shifted"};
        for (int rank = 0; rank < 4; rank++) {
            sct_step step = first_step(&p, 1, rank);
            CHECK_CASE(step.m.first.lo == (rank < 2 ? 256 : 0), "%s: rank %d begins at %" PRId64,
                       c[i], rank, step.m.first.lo);
        }
    }
}

/* Every sum is begun, continued and handed over once. */
static void check_sums(const far_problem *p) {
    enum { MOST_PIECES = 64 };
    for (int rank = 0; rank < p->ranks; rank++) {
        bool open[MOST_PIECES][MOST_PIECES] = {{false}};
        sct_plan *plan = plan_of(p, 1, rank);
        int64_t sums = 0;
        for (int64_t t = 0; t < plan->steps; t++) {
            sct_task task;
            sct_plan_task(plan, t, &task);
            bool *sum = &open[task.number[SCT_DIM_M]][task.number[SCT_DIM_N]];
            CHECK_CASE(task.fresh == !*sum, "rank %d: the sum of step %" PRId64, rank, t);
            *sum = !task.flush;
            sums += task.fresh - task.flush;
        }
        CHECK_CASE(sums == 0, "rank %d: %" PRId64 " sums are not handed over", rank, sums);
        sct_plan_destroy(plan);
    }
}

static void test_sums(void) {
    check_sums(&(far_problem){1024,
                              6144,
                              1536,
                              4,
                              {"row", "row", "row"},
                              SCT_STAY_B,
                              "nest=mnk,k=512,begin=behind+shifted+shifted,ahead=2"});
    check_sums(&(far_problem){1024, 1536, 6144, 4, {"row", "row", "row"}, SCT_STAY_B, wide_panels});
    check_sums(&(far_problem){1024, 1536, 6144, 4, {"2d", "2d", "2d"}, SCT_STAY_B, on_grid});
}

/* The hash distinguishes sequences of steps, not how they came about. */
static void test_hash(void) {
    const far_problem p = {1024, 1536, 6144, 4, {"row", "row", "row"}, SCT_STAY_B, wide_panels};
    sct_plan *plan = plan_of(&p, 1, 0);
    uint64_t hash = sct_plan_hash(plan);
    sct_ordered_step *ordered = calloc((size_t)plan->steps, sizeof *ordered);
    for (int64_t i = 0; i < plan->steps; i++)
        ordered[i] = (sct_ordered_step){.step = i, .fresh = true, .flush = true};
    plan->groups.ordered = ordered;
    CHECK(sct_plan_hash(plan) == hash);
    ordered[0].step = 1;
    ordered[1].step = 0;
    CHECK(sct_plan_hash(plan) != hash);
    sct_plan_destroy(plan);
}

/* Replicas of one cell that read from the same owners begin with different ones. */
static void test_replicas(void) {
    const far_problem p = {64,
                           64,
                           64,
                           8,
                           {"2d:2x4", "row*4", "col"},
                           SCT_STAY_B,
                           "nest=mnk,begin=shifted+shifted+shifted"};
    for (int rank = 0; rank < 8; rank++) {
        sct_step step = first_step(&p, 1, rank);
        int cell = rank % 2, replica = rank / 2;
        CHECK_CASE(step.k.first.lo == 32 * cell + 16 * ((cell + replica) % 2),
                   "rank %d begins at %" PRId64, rank, step.k.first.lo);
    }
}

int main(void) {
    test_own_part_last();
    test_owners_take_turns();
    test_own_halves();
    test_led_by_sums();
    test_hash();
    test_sums();
    test_own_part_first();
    check_first_owners("row", "behind", (const int[]){1, 2, 3, 0});
    check_first_owners("row", "shifted", (const int[]){0, 1, 1, 2});
    check_first_owners("cuts:6,11x-@0,1,2x0", "behind", (const int[]){1, 2, 0, 2});
    check_first_panel("col", 1, (const int64_t[]){0, 256, 512, 768});
    check_first_panel("col", 4, (const int64_t[]){0, 256, 512, 768});
    check_first_panel("col*2", 1, (const int64_t[]){0, 256, 256, 512});
    test_own_gathered();
    test_replicas();
    return check_report("tours");
}
