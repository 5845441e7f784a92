/* errors_plan.c - plans and layouts of impossible problems: refused with a reason, and the results
 * stay unwritten. */
#include "whole/support/collective_errors.h"

enum { RANKS = 4, N = 10 };

/* ---- Problems ---- */

static void check_problem(const sct_problem *problem, const char *word) {
    sct_plan *plan = NULL;
    check_status(sct_plan_create(problem, 0, NULL, &plan), SCT_BAD_ARGUMENT, word);
    check_status(sct_plan_check(problem, NULL), SCT_BAD_ARGUMENT, word);
    CHECK(!plan);
}

static void refuse_problems(const sct_problem *right, const sct_layout *large) {
    const sct_slice outside = {{0, N + 1}, {0, N}}, turned = {{5, 4}, {0, N}};
    const sct_slice less = {{0, N - 1}, {0, N}};
    sct_problem x = *right;
    x.a = NULL;
    check_problem(&x, "A: the layout");
    x = *right;
    x.b = large;
    check_problem(&x, "B: the layout uses 5 ranks, but there are 4");
    x = *right;
    x.op_a = (sct_op)3;
    check_problem(&x, "op(A)");
    x = *right;
    x.op_b = (sct_op)-1;
    check_problem(&x, "op(B)");
    x = *right;
    x.type = (sct_type)6;
    check_problem(&x, "type 6");
    x = *right;
    x.ranks = 0;
    check_problem(&x, "ranks: 0");
    x = *right;
    x.ranks_per_node = -1;
    check_problem(&x, "ranks per node: -1");
    x = *right;
    x.view_a = &outside;
    check_problem(&x, "A: view");
    x = *right;
    x.view_c = &turned;
    check_problem(&x, "C: view");
    x = *right;
    x.view_b = &less;
    check_problem(&x, "k differs");
    x = *right;
    x.view_a = &less;
    check_problem(&x, "m differs");
    x = *right;
    x.op_b = SCT_T;
    x.view_b = &less;
    check_problem(&x, "n differs");
}

static void refuse_ranks_and_options(const sct_problem *right) {
    sct_options future = {.size = sizeof future + 8}, poor = {.size = sizeof poor, .workspace = 1};
    sct_options without_size = {.stay = SCT_STAY_C};
    sct_plan *plan = NULL;
    check_status(sct_plan_create(right, -1, NULL, &plan), SCT_BAD_ARGUMENT, "rank -1");
    check_status(sct_plan_create(right, RANKS, NULL, &plan), SCT_BAD_ARGUMENT, "rank 4");
    check_status(sct_plan_create(right, 0, &future, &plan), SCT_BAD_ARGUMENT,
                 "too large: set .size");
    check_status(sct_plan_create(right, 0, &without_size, &plan), SCT_BAD_ARGUMENT,
                 "options: a size of 0 bytes is too small: set .size");
    check_status(sct_plan_create(right, 0, &poor, &plan), SCT_WORKSPACE, "too small by");
    check_status(sct_plan_check(right, &poor), SCT_WORKSPACE,
                 "the plan of rank 0 cannot be made: a workspace of");
    CHECK(!plan);
}

/* Options and decisions that have no effect beside each other. */
static void refuse_beside_decisions(const sct_problem *right) {
    sct_decisions decisions = {.size = sizeof decisions, .nest = {1, 0, 2}};
    sct_options alike = {.size = sizeof alike, .decisions = &decisions, .start = SCT_START_ALIKE};
    sct_options early = {.size = sizeof early, .decisions = &decisions, .prefetch = -1};
    sct_options greedy = {.size = sizeof greedy, .decisions = &decisions, .schedule = SCT_GREEDY};
    sct_plan *plan = NULL;
    CHECK(sct_plan_check(right, &early) == SCT_OK && sct_plan_check(right, &greedy) == SCT_OK);
    check_status(sct_plan_create(right, 0, &alike, &plan), SCT_BAD_ARGUMENT, "start: alike");
    decisions.ahead = 2;
    check_status(sct_plan_create(right, 0, &early, &plan), SCT_BAD_ARGUMENT, "prefetch: -1");
    check_status(sct_plan_create(right, 0, &greedy, &plan), SCT_BAD_ARGUMENT, "only direct order");
    decisions.ahead = -1;
    check_status(sct_plan_create(right, 0, &early, &plan), SCT_BAD_ARGUMENT,
                 "decisions: ahead: -1");
    CHECK(!plan);
}

static void refuse_steps(const sct_problem *right) {
    sct_plan *plan = NULL;
    sct_cost cost = {.steps = -1};
    sct_step step = {.owner_a = -7};
    CHECK(sct_plan_create(right, 1, NULL, &plan) == SCT_OK);
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK && cost.steps > 0);
    check_status(sct_plan_step(plan, -1, &step), SCT_BAD_ARGUMENT, "step -1");
    check_status(sct_plan_step(plan, cost.steps, &step), SCT_BAD_ARGUMENT, "step");
    CHECK(step.owner_a == -7);
    CHECK(sct_plan_step(plan, cost.steps - 1, &step) == SCT_OK && step.owner_a >= -1);
    sct_plan_destroy(plan);
    sct_plan_destroy(NULL);
}

/* ---- Layouts ---- */

static void refuse_layouts(const sct_layout *grid) {
    static const int64_t falling[] = {5, 4};
    static const int owners[] = {0, 1, 4, 0, 0, 0}, twice[] = {0, 1, 1, 2},
                     beyond[] = {0, 1, 2, -1};
    const sct_cuts none = {1, NULL, owners}, bad = {3, falling, owners};
    const sct_cyclic flat = {.size = sizeof flat, .block_cols = 2, .grid_rows = 1, .grid_cols = 1};
    sct_layout *layout = NULL, *tiles = NULL;
    size_t bytes = 77;
    check_status(sct_layout_create_row(-1, 5, 2, &layout), SCT_BAD_ARGUMENT, "-1");
    check_status(sct_layout_create_col(5, 5, 0, &layout), SCT_BAD_ARGUMENT, "0");
    check_status(sct_layout_create_2d(5, 5, 2, -2, &layout), SCT_BAD_ARGUMENT, "-2");
    check_status(sct_layout_create_2d(5, 5, 1 << 16, 1 << 16, &layout), SCT_TOO_LARGE, "65536");
    check_status(sct_layout_create_cyclic(5, 5, &flat, &layout), SCT_BAD_ARGUMENT, "block");
    check_status(sct_layout_create_cuts(9, 9, 1, 1, &bad, &none, &layout), SCT_BAD_ARGUMENT, "4");
    check_status(sct_layout_create_cuts(9, 9, 0, 1, &none, &none, &layout), SCT_BAD_ARGUMENT,
                 "0x1");
    check_status(sct_layout_create_tiles(9, 9, 1, &none, &none, &owners[2], &layout),
                 SCT_BAD_ARGUMENT, "owner 4");
    check_status(sct_layout_replicate(grid, 0, &layout), SCT_BAD_ARGUMENT, "0");
    check_status(sct_layout_replicate(grid, 1 << 30, &layout), SCT_TOO_LARGE, "1073741824");
    check_status(sct_layout_map_ranks(grid, twice, &layout), SCT_BAD_ARGUMENT, "rank 1");
    check_status(sct_layout_map_ranks(grid, beyond, &layout), SCT_BAD_ARGUMENT, "-1");
    check_status(sct_layout_store(grid, (sct_order)2, &layout), SCT_BAD_ARGUMENT, "order 2");
    check_status(sct_layout_parse("rows", 5, 5, 2, &layout), SCT_BAD_ARGUMENT, "rows");
    check_status(sct_layout_bytes(grid, SCT_F32, -1, &bytes), SCT_BAD_ARGUMENT, "rank -1");
    check_status(sct_layout_bytes(grid, (sct_type)-1, 0, &bytes), SCT_BAD_ARGUMENT, "type");
    CHECK(!layout && bytes == 77);
    CHECK(sct_layout_create_tiles(9, 9, 2, &none, &none, owners, &tiles) == SCT_OK);
    check_status(sct_layout_map_ranks(tiles, twice, &layout), SCT_BAD_ARGUMENT, "owners");
    CHECK(!layout);
    sct_layout_destroy(tiles);
    sct_layout_destroy(NULL);
}

int main(void) {
    sct_layout *grid = NULL, *rows = NULL, *large = NULL;
    CHECK(sct_layout_create_2d(N, N, 2, 2, &grid) == SCT_OK);
    CHECK(sct_layout_create_row(N, N, RANKS, &rows) == SCT_OK);
    CHECK(sct_layout_create_row(N, N, RANKS + 1, &large) == SCT_OK);
    sct_problem right = {.size = sizeof right,
                         .type = SCT_F64,
                         .a = grid,
                         .b = rows,
                         .c = rows,
                         .ranks = RANKS,
                         .ranks_per_node = 1};
    refuse_problems(&right, large);
    refuse_ranks_and_options(&right);
    refuse_beside_decisions(&right);
    refuse_steps(&right);
    refuse_layouts(grid);
    sct_layout_destroy(grid);
    sct_layout_destroy(rows);
    sct_layout_destroy(large);
    return check_report("errors_plan");
}
