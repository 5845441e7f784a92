/* plan_drawing.c - the data of a plan picture. */
#include "pictures/plan_drawing.h"

/* The dimensions of the rows and of the columns. */
static const struct {
    int down, across;
} sides[OPERANDS] = {{DIM_M, DIM_K}, {DIM_K, DIM_N}, {DIM_M, DIM_N}};

static void add_operand(struct drawing *drawing, int operand, const sct_layout *layout, sct_op op,
                        const sct_slice *view) {
    const sct_slice whole = {{0, sct_layout_rows(layout)}, {0, sct_layout_cols(layout)}};
    drawing->layout[operand] = layout;
    drawing->view[operand] = view ? *view : whole;
    drawing->turned[operand] = op != SCT_N;
    drawing->replica[operand] = sct_layout_home(layout, drawing->rank);
}

static int64_t length(sct_range range) {
    return range.hi - range.lo;
}

sct_status drawing_create(const sct_problem *problem, const sct_plan *plan, int rank,
                          struct drawing *drawing) {
    sct_cost cost;
    sct_status status = sct_plan_cost(plan, &cost);
    if (status != SCT_OK)
        return status;
    *drawing =
        (struct drawing){.problem = problem, .plan = plan, .rank = rank, .steps = cost.steps};
    add_operand(drawing, OPERAND_A, problem->a, problem->op_a, problem->view_a);
    add_operand(drawing, OPERAND_B, problem->b, problem->op_b, problem->view_b);
    add_operand(drawing, OPERAND_C, problem->c, SCT_N, problem->view_c);
    const sct_slice *a = &drawing->view[OPERAND_A], *c = &drawing->view[OPERAND_C];
    drawing->size[DIM_M] = length(c->rows);
    drawing->size[DIM_N] = length(c->cols);
    drawing->size[DIM_K] = length(drawing->turned[OPERAND_A] ? a->rows : a->cols);
    return SCT_OK;
}

int drawing_down(int operand) {
    return sides[operand].down;
}

int drawing_across(int operand) {
    return sides[operand].across;
}

/* A place in a stored matrix. */
struct place {
    int64_t row, col;
};

static struct place stored_at(const struct drawing *drawing, int operand, int64_t row,
                              int64_t col) {
    bool turned = drawing->turned[operand];
    const sct_slice *view = &drawing->view[operand];
    return (struct place){view->rows.lo + (turned ? col : row),
                          view->cols.lo + (turned ? row : col)};
}

int drawing_owner(const struct drawing *drawing, int operand, int64_t row, int64_t col) {
    struct place place = stored_at(drawing, operand, row, col);
    return sct_layout_owner(drawing->layout[operand], drawing->replica[operand], place.row,
                            place.col);
}

/* The part of a range inside a view, relative to the start of the view. */
static sct_range clip(sct_range range, sct_range view) {
    return (sct_range){range.lo > view.lo ? range.lo - view.lo : 0,
                       (range.hi < view.hi ? range.hi : view.hi) - view.lo};
}

sct_slice drawing_tile(const struct drawing *drawing, int operand, int64_t row, int64_t col) {
    struct place place = stored_at(drawing, operand, row, col);
    sct_slice tile = sct_layout_tile(drawing->layout[operand], place.row, place.col);
    sct_range rows = clip(tile.rows, drawing->view[operand].rows);
    sct_range cols = clip(tile.cols, drawing->view[operand].cols);
    return drawing->turned[operand] ? (sct_slice){cols, rows} : (sct_slice){rows, cols};
}

const sct_indices *drawing_indices(const sct_step *step, int dim) {
    return dim == DIM_M ? &step->m : dim == DIM_N ? &step->n : &step->k;
}
