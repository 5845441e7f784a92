/* work.c - a work layout that gives each rank the work of its own part of a matrix keeps that
 * matrix stationary, however it is written. */
#include <sectile/sectile.h>

#include "support/check.h"

#include <stddef.h>

enum { RANKS = 4, M = 12, N = 10, K = 16, MATRICES = 3 };

typedef struct work_case {
    sct_stay stay; /* whose shape the work layout has */
    sct_op op;     /* of A and B */
    const char *matrix, *work;
} work_case;

static sct_layout *parse(const char *text, int rows, int cols) {
    sct_layout *layout = NULL;
    CHECK_CASE(sct_layout_parse(text, rows, cols, RANKS, &layout) == SCT_OK, "%s: %s", text,
               sct_last_reason());
    return layout;
}

/* Makes plans with the matrix of that shape in one layout, the work in another, and the other
 * matrices in a third. Checks whether the matrix is stationary. */
static void expect(const work_case *c, bool stationary) {
    static const int sizes[MATRICES][2] = {{M, K}, {K, N}, {M, N}};
    int shape = (int)c->stay - SCT_STAY_A;
    sct_layout *layout[MATRICES], *work = parse(c->work, sizes[shape][0], sizes[shape][1]);
    sct_options options = {.size = sizeof options, .stay = c->stay, .work = work};
    for (int i = 0; i < MATRICES; i++) {
        bool turned = i < 2 && c->op != SCT_N;
        layout[i] =
            parse(i == shape ? c->matrix : "2d:2x2%3,1,0,2", sizes[i][turned], sizes[i][!turned]);
    }
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .op_a = c->op,
                           .op_b = c->op,
                           .a = layout[0],
                           .b = layout[1],
                           .c = layout[2],
                           .ranks = RANKS};
    sct_plan *plan = NULL;
    CHECK(sct_plan_create(&problem, 1, &options, &plan) == SCT_OK);
    CHECK_CASE(plan && !sct_plan_work(plan) == stationary, "%s with work %s: %sstationary",
               c->matrix, c->work, stationary ? "not " : "");
    CHECK(sct_plan_check(&problem, &options) == SCT_OK);
    sct_plan_destroy(plan);
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(layout[i]);
    sct_layout_destroy(work);
}

int main(void) {
    static const work_case same[] = {
        {SCT_STAY_C, SCT_N, "row", "row"},
        {SCT_STAY_C, SCT_N, "row/f", "row"}, /* storage order */
        {SCT_STAY_C, SCT_N, "row", "row/f"},
        {SCT_STAY_C, SCT_N, "row%0,1,2,3", "row"}, /* a map that changes nothing */
        {SCT_STAY_A, SCT_N, "2d:2x2", "2d%0,1,2,3"},
        {SCT_STAY_A, SCT_T, "row", "col"}, /* transposed */
        {SCT_STAY_B, SCT_C, "col*2:3", "row*2:3"},
        {SCT_STAY_B, SCT_T, "2d:2x2", "2d:2x2%0,2,1,3"},
        {SCT_STAY_A, SCT_T, "cuts:4x5@0,1,2,3", "cuts:5x4@0,2,1,3"},
    };
    static const work_case different[] = {
        {SCT_STAY_C, SCT_N, "row%1,0,2,3", "row"},
        {SCT_STAY_C, SCT_N, "row", "col"},
        {SCT_STAY_C, SCT_N, "row@3", "row"},
        {SCT_STAY_C, SCT_N, "row*2", "row*2:3"},
        {SCT_STAY_C, SCT_N, "cuts:4x5@0,1,2,3", "cuts:4x5@0,1,3,2"},
        {SCT_STAY_A, SCT_T, "2d:2x2", "2d:2x2"},
        {SCT_STAY_A, SCT_T, "row", "row"},
        {SCT_STAY_B, SCT_N, "cyclic:3x3@2x2", "2d:2x2"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        expect(&same[i], true);
    for (size_t i = 0; i < sizeof different / sizeof *different; i++)
        expect(&different[i], false);
    return check_report("work");
}
