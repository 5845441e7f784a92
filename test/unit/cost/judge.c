/* judge.c - decisions: where owners are brought together, how finely pieces are cut, and where
 * loops begin; and that no small change of a decision would be faster. */
#include "cost/judge.h"
#include "plan/constants.h"
#include "plan/plan.h"
#include "support/check.h"
#include "support/choices.h"
#include "support/layouts.h"
#include "support/problems.h"

#include <math.h>
#include <string.h>

enum { CASES = 300, MOST = 3000 };

/* C = AB, with C m x n, and what the default options decide for a rank. */
typedef struct decided {
    int64_t m, k, n;
    int ranks, per_node;
    const char *text[SCT_MATS];
    sct_stay stay;
} decided;

static sct_decisions decisions_of(const decided *p, int rank, int64_t *steps) {
    sct_layout *layout[SCT_MATS];
    sct_plan *plan;
    sct_decisions decisions = {.size = 0};
    parse_three(p->m, p->k, p->n, p->ranks, p->text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, p->ranks);
    problem.ranks_per_node = p->per_node;
    const sct_options options = {.size = sizeof options, .stay = p->stay};
    if (CHECK(sct_plan_create(&problem, rank, &options, &plan) == SCT_OK)) {
        CHECK(sct_plan_decisions(plan, &decisions) == SCT_OK);
        *steps = plan->steps;
        sct_plan_destroy(plan);
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(layout[matrix]);
    return decisions;
}

static bool gathers(const sct_decisions *decisions, int dim) {
    return decisions->gather[dim][0] || decisions->gather[dim][1];
}

/* Few large pieces within reach stay apart and uncut; many thin ones are brought together. */
static void test_gathering(void) {
    int64_t steps;
    const decided few = {2048, 2048, 2048, 2, 0, {"row", "row", "row"}, SCT_STAY_C};
    sct_decisions decisions = decisions_of(&few, 0, &steps);
    CHECK(!gathers(&decisions, SCT_DIM_K) && steps == 2);
    const decided many = {4096, 64, 4096, 64, 0, {"col", "row", "row"}, SCT_STAY_C};
    decisions = decisions_of(&many, 0, &steps);
    CHECK(gathers(&decisions, SCT_DIM_K) && steps < 64);
}

/* Where operands come from afar, pieces are cut until the first fetch is short. What is one's own
 * comes first; of sums, last; half of it first and half last where rows are both got and sent. */
static void test_far(void) {
    int64_t steps;
    const decided got = {1024, 8192, 1024, 2, 1, {"row", "row", "row"}, SCT_STAY_C};
    sct_decisions decisions = decisions_of(&got, 0, &steps);
    CHECK(decisions.nest[0] == SCT_DIM_K && decisions.begin[SCT_DIM_K] == SCT_BEGIN_OWN);
    CHECK(steps > 2 && decisions.ahead >= 2);
    const decided sent = {1024, 1024, 4096, 4, 1, {"col", "row", "row"}, SCT_STAY_A};
    decisions = decisions_of(&sent, 0, &steps);
    CHECK(decisions.nest[2] == SCT_DIM_K && decisions.begin[SCT_DIM_M] == SCT_BEGIN_BEHIND_OWN);
    const decided both = {1024, 1536, 1536, 2, 1, {"row", "row", "row"}, SCT_STAY_B};
    decisions = decisions_of(&both, 0, &steps);
    CHECK(decisions.begin[SCT_DIM_M] ==
          (decisions.most[SCT_DIM_M] ? SCT_BEGIN_HALFWAY : SCT_BEGIN_BEHIND_OWN));
}

/* A product on one rank, or with each matrix by rows on two ranks apart, whose slices are several
 * blocks on one side of one dimension; and the most blocks that are multiplied one by one. */
typedef struct blocky {
    int64_t m, k, n;
    int ranks, dim, side;
    int64_t blocks[2];
} blocky;

static void test_blocks(const blocky *p) {
    static const char *const rows[] = {"row", "row", "row"};
    sct_layout *layout[SCT_MATS];
    sct_product product;
    parse_three(p->m, p->k, p->n, p->ranks, rows, layout);
    sct_problem problem = problem_with(SCT_F64, layout, p->ranks);
    problem.ranks_per_node = 1;
    CHECK(sct_product_create(&problem, &product) == SCT_OK);
    struct sct_machine machine = sct_machine_default(1, false);
    sct_work_layout work = sct_work_stationary(&product, SCT_MAT_C);
    sct_judge judge = {.room = 1 << 25, .sums = 1, .gathers = true};
    sct_judge_look(&product, &machine, &work, 0, &judge);
    judge.pieces[p->dim][0].scattered[p->side] = true;
    sct_decisions decisions = {.size = sizeof decisions};
    sct_work_nest(&product, &work, decisions.nest);
    sct_judge_try(&judge, &decisions);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        CHECK_CASE(decisions.blocks[matrix] == p->blocks[matrix], "%lld x %lld x %lld: %lld",
                   (long long)p->m, (long long)p->n, (long long)p->k,
                   (long long)decisions.blocks[matrix]);
    sct_product_clear(&product);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(layout[matrix]);
}

/* Blocks are multiplied one by one if they are few or long, and if to reread the other operand is
 * cheaper than a copy. */
static void test_all_blocks(void) {
    const int a = sct_matrix_side(SCT_MAT_A, SCT_DIM_M), b = sct_matrix_side(SCT_MAT_B, SCT_DIM_N);
    const blocky cases[] = {
        {1000, 50, 40, 1, SCT_DIM_M, a, {8, 0}},   {4096, 50, 40, 1, SCT_DIM_M, a, {32, 0}},
        {100, 50, 100, 1, SCT_DIM_M, a, {3, 0}},   {100, 50, 400, 1, SCT_DIM_M, a, {0, 0}},
        {4096, 4096, 40, 1, SCT_DIM_M, a, {0, 0}}, {4096, 50, 40, 1, SCT_DIM_M, !a, {0, 0}},
        {40, 50, 1000, 1, SCT_DIM_N, b, {0, 8}},   {40, 50, 4096, 1, SCT_DIM_N, b, {0, 32}},
        {4096, 50, 40, 1, SCT_DIM_K, 0, {0, 0}},   {4096, 50, 40, 2, SCT_DIM_M, a, {0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_blocks(&cases[i]);
}

/* Owners of one block each, as many as the case says. */
typedef struct owners {
    sct_judge judge;
    int64_t count[SCT_DIMS][2];
    int sliced;
} owners;

static sct_status slice(void *self, int dim, int gathered, sct_judged_pieces *pieces) {
    owners *o = self;
    double apart[2];
    o->sliced++;
    for (int side = 0; side < 2; side++) {
        bool together = gathered >> side & 1;
        apart[side] = together ? 1 : (double)o->count[dim][side];
        pieces->split[side] = apart[side] > 1;
        pieces->scattered[side] = together && o->count[dim][side] > 1;
    }
    pieces->sets = fmin(apart[0] + apart[1] - 1, o->judge.extent[dim]);
    return SCT_OK;
}

/* Halving a piece, or keeping owners apart again, gains nothing that is worth it. */
static void check_best(int number, const owners *o, const sct_decisions *best) {
    sct_decisions again = *best;
    double seconds = sct_judge_try(&o->judge, &again),
           worth = sct_judge_worth * o->judge.machine->product;
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        sct_decisions other = *best;
        double piece = sct_judge_piece(&o->judge, best, dim);
        other.most[dim] = (int64_t)ceil(piece / 2);
        double taken = sct_judge_try(&o->judge, &other);
        CHECK_CASE(piece <= 1 || o->judge.extent[dim] / piece >= 1024 || !(taken < seconds - worth),
                   "case %d: halving dimension %d", number, dim);
    }
}

static void test_random(int number, uint64_t *random) {
    static const char *const rows[] = {"row", "row", "row"};
    sct_layout *layout[SCT_MATS];
    int64_t size[SCT_DIMS];
    int ranks = (int)check_between(random, 1, 16);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        size[dim] = check_between(random, 1, MOST);
    parse_three(size[SCT_DIM_M], size[SCT_DIM_K], size[SCT_DIM_N], ranks, rows, layout);
    sct_problem problem = problem_with(SCT_F64, layout, ranks);
    problem.ranks_per_node = (int)check_between(random, 1, 2);
    sct_product product;
    CHECK(sct_product_create(&problem, &product) == SCT_OK);
    struct sct_machine machine = sct_machine_default(problem.ranks_per_node, false);
    sct_work_layout work = sct_work_stationary(&product, (int)check_between(random, 0, 2));
    owners o = {.judge = {.room = 1 << 25, .sums = 4, .gathers = true, .cuts = true}};
    o.judge.slice = slice;
    o.judge.self = &o;
    sct_judge_look(&product, &machine, &work, 0, &o.judge);
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (int side = 0; side < 2; side++)
            o.count[dim][side] = check_between(random, 1, 9);
    sct_decisions decisions = {.size = sizeof decisions};
    sct_work_nest(&product, &work, decisions.nest);
    CHECK(sct_judge_decide(&o.judge, &decisions) == SCT_OK && o.sliced <= 4 * SCT_DIMS);
    check_best(number, &o, &decisions);
    sct_product_clear(&product);
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(layout[matrix]);
}

int main(void) {
    uint64_t random = check_seed(1);
    test_gathering();
    test_far();
    test_all_blocks();
    for (int i = 0; i < CASES; i++)
        test_random(i, &random);
    return check_report("judge");
}
