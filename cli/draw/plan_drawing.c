/* plan_drawing.c - what a picture shows: how A, B and C meet on a rank. */
#include "draw/plan_drawing.h"

static const struct {
    int down, across;
} sides[MATRICES] = {{DIM_M, DIM_K}, {DIM_K, DIM_N}, {DIM_M, DIM_N}};

sct_status scene_create(const struct problem *problem, const sct_plan *plan, struct scene *scene) {
    const struct args *args = problem->args;
    sct_cost cost;
    sct_status status = sct_plan_cost(plan, &cost);
    if (status != SCT_OK)
        return status;
    *scene = (struct scene){.problem = problem,
                            .plan = plan,
                            .steps = cost.steps,
                            .size = {args->shape.m, args->shape.n, args->shape.k}};
    for (int i = 0; i < MATRICES; i++)
        scene->replica[i] = sct_layout_home(problem->layout[i], (int)args->rank);
    return SCT_OK;
}

int scene_down(int matrix) {
    return sides[matrix].down;
}

int scene_across(int matrix) {
    return sides[matrix].across;
}

int scene_owner(const struct scene *scene, int matrix, int64_t row, int64_t col) {
    struct place place = problem_place(scene->problem, matrix, row, col);
    return sct_layout_owner(scene->problem->layout[matrix], scene->replica[matrix], place.row,
                            place.col);
}

/* What of a range lies in a view, counted from the view's begin. */
static sct_range clip(sct_range range, sct_range view) {
    return (sct_range){range.lo > view.lo ? range.lo - view.lo : 0,
                       (range.hi < view.hi ? range.hi : view.hi) - view.lo};
}

sct_slice scene_tile(const struct scene *scene, int matrix, int64_t row, int64_t col) {
    const struct problem *problem = scene->problem;
    struct place place = problem_place(problem, matrix, row, col);
    sct_slice tile = sct_layout_tile(problem->layout[matrix], place.row, place.col);
    sct_range rows = clip(tile.rows, problem->view[matrix].rows);
    sct_range cols = clip(tile.cols, problem->view[matrix].cols);
    return problem_turned(problem, matrix) ? (sct_slice){cols, rows} : (sct_slice){rows, cols};
}

const sct_indices *scene_indices(const sct_step *step, int dim) {
    return dim == DIM_M ? &step->m : dim == DIM_N ? &step->n : &step->k;
}
