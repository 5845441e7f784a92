/* plan_drawing.c - the data of a plan picture. */
#include "draw/plan_drawing.h"

/* The dimensions of the rows and of the columns. */
static const struct {
    int down, across;
} sides[MATRICES] = {{DIM_M, DIM_K}, {DIM_K, DIM_N}, {DIM_M, DIM_N}};

sct_status drawing_create(const struct problem *problem, const sct_plan *plan,
                          struct drawing *drawing) {
    const struct args *args = problem->args;
    sct_cost cost;
    sct_status status = sct_plan_cost(plan, &cost);
    if (status != SCT_OK)
        return status;
    *drawing = (struct drawing){.problem = problem,
                                .plan = plan,
                                .steps = cost.steps,
                                .size = {args->shape.m, args->shape.n, args->shape.k}};
    for (int i = 0; i < MATRICES; i++)
        drawing->replica[i] = sct_layout_home(problem->layout[i], (int)args->rank);
    return SCT_OK;
}

int drawing_down(int matrix) {
    return sides[matrix].down;
}

int drawing_across(int matrix) {
    return sides[matrix].across;
}

int drawing_owner(const struct drawing *drawing, int matrix, int64_t row, int64_t col) {
    struct place place = problem_place(drawing->problem, matrix, row, col);
    return sct_layout_owner(drawing->problem->layout[matrix], drawing->replica[matrix], place.row,
                            place.col);
}

/* The part of a range inside a view, relative to the start of the view. */
static sct_range clip(sct_range range, sct_range view) {
    return (sct_range){range.lo > view.lo ? range.lo - view.lo : 0,
                       (range.hi < view.hi ? range.hi : view.hi) - view.lo};
}

sct_slice drawing_tile(const struct drawing *drawing, int matrix, int64_t row, int64_t col) {
    const struct problem *problem = drawing->problem;
    struct place place = problem_place(problem, matrix, row, col);
    sct_slice tile = sct_layout_tile(problem->layout[matrix], place.row, place.col);
    sct_range rows = clip(tile.rows, problem->view[matrix].rows);
    sct_range cols = clip(tile.cols, problem->view[matrix].cols);
    return args_turned(problem->args, matrix) ? (sct_slice){cols, rows} : (sct_slice){rows, cols};
}

const sct_indices *drawing_indices(const sct_step *step, int dim) {
    return dim == DIM_M ? &step->m : dim == DIM_N ? &step->n : &step->k;
}
