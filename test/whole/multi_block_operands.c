/* multi_block_operands.c - products whose A or B is several blocks, each used in place: the plans
 * have such steps, and the results are right. */
#include "support/check.h"
#include "support/problems.h"
#include "whole/support/trial.h"

#include <string.h>

enum { OPS = 3, TYPES = 4 };

typedef struct piecewise {
    trial trial;
    bool a, b; /* which operand is several blocks */
} piecewise;

static const piecewise cases[] = {
    {{.ranks = 2,
      .m = 24,
      .n = 24,
      .k = 40,
      .layout = {"row", "row", "row"},
      .options = {.stay = SCT_STAY_B}},
     .a = true},
    {{.ranks = 3,
      .m = 25,
      .n = 23,
      .k = 31,
      .layout = {"row", "row/f", "col"},
      .options = {.stay = SCT_STAY_B}},
     .a = true},
    {{.ranks = 2,
      .m = 24,
      .n = 24,
      .k = 40,
      .layout = {"col/f", "col/f", "col/f"},
      .options = {.stay = SCT_STAY_A}},
     .b = true},
    {{.ranks = 3,
      .m = 30,
      .n = 40,
      .k = 12,
      .layout = {"col", "col/f", "row"},
      .options = {.stay = SCT_STAY_A}},
     .b = true},
    {{.ranks = 2,
      .m = 24,
      .n = 24,
      .k = 40,
      .layout = {"row", "col", "row@1"},
      .options = {.stay = SCT_STAY_C}},
     .a = true,
     .b = true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Owners are brought together along m and n, and their blocks multiplied one by one. */
static const sct_decisions together = {.size = sizeof together,
                                       .nest = {0, 2, 1},
                                       .gather = {{1, 1}, {0, 0}, {1, 1}},
                                       .blocks = {3, 3}};

/* Whether rank 0's plan has a step whose A, or B, is several blocks. */
static void look(const trial *t, bool *a, bool *b) {
    const char *const text[] = {t->layout[0], t->layout[1], t->layout[2]};
    sct_layout *layout[TRIAL_MATRICES];
    sct_plan *plan = NULL;
    sct_cost cost = {.steps = 0};
    parse_three(t->m, t->k, t->n, t->ranks, text, layout);
    sct_problem problem = problem_with(SCT_F64, layout, t->ranks);
    if (CHECK(sct_plan_create(&problem, 0, &t->options, &plan) == SCT_OK))
        CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
    for (int64_t i = 0; i < cost.steps; i++) {
        sct_step step;
        CHECK(sct_plan_step(plan, i, &step) == SCT_OK);
        CHECK(step.a == SCT_IN_PLACE || step.blocks_a == 1);
        CHECK(step.b == SCT_IN_PLACE || step.blocks_b == 1);
        *a |= step.blocks_a > 1;
        *b |= step.blocks_b > 1;
    }
    sct_plan_destroy(plan);
    for (int i = 0; i < TRIAL_MATRICES; i++)
        sct_layout_destroy(layout[i]);
}

/* Slices of more blocks than decided are copied. */
static void test_too_many(const piecewise *which) {
    bool a = false, b = false;
    trial t = which->trial;
    sct_decisions fewer = together;
    fewer.blocks[0] = fewer.blocks[1] = t.ranks - 1;
    t.options.size = sizeof t.options;
    t.options.decisions = &fewer;
    look(&t, &a, &b);
    CHECK(!a && !b);
}

static void try_all(const piecewise *which) {
    static const sct_type types[TYPES] = {SCT_F32, SCT_F64, SCT_CF64, SCT_BF16};
    for (int i = 0; i < TYPES * OPS * 2; i++) {
        trial t = which->trial;
        t.options.size = sizeof t.options;
        t.options.decisions = &together;
        t.type = types[i % TYPES];
        t.op[0] = (sct_op)(SCT_N + i / TYPES % OPS);
        t.op[1] = (sct_op)(SCT_N + (i + i / TYPES) % OPS);
        t.alpha = (element){2, 0};
        t.beta = (element){i % 3, 0};
        t.emulated = (emulated_options){.deferred = i % 2};
        t.seed = (uint64_t)i;
        trial_run(&t);
    }
}

int main(void) {
    for (int i = 0; i < CASES; i++) {
        bool a = false, b = false;
        trial t = cases[i].trial;
        t.options.size = sizeof t.options;
        t.options.decisions = &together;
        look(&t, &a, &b);
        CHECK_CASE(a == cases[i].a && b == cases[i].b, "case %d: A is%s, B is%s in several blocks",
                   i, a ? "" : " not", b ? "" : " not");
        test_too_many(&cases[i]);
        try_all(&cases[i]);
    }
    return check_report("multi_block_operands");
}
