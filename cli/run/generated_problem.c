/* generated_problem.c - a problem whose matrices any rank can generate, element by element. */
#include "run/generated_problem.h"

#include "ranks/home_tiles.h"
#include "values/element.h"

#include <math.h>

bool generated_problem_inside(const sct_slice *slice, int64_t row, int64_t col) {
    return row >= slice->rows.lo && row < slice->rows.hi && col >= slice->cols.lo &&
           col < slice->cols.hi;
}

struct number generated_problem_stored(const struct generated_problem *generated, int matrix,
                                       int64_t row, int64_t col) {
    bool unread = matrix == MATRIX_C && generated->beta.re == 0 && generated->beta.im == 0;
    if (unread && generated_problem_inside(&generated->problem->view[MATRIX_C], row, col))
        return (struct number){NAN, NAN};
    return source_element(&generated->source, matrix, row, col);
}

struct number generated_problem_operand(const struct generated_problem *generated, int matrix,
                                        int64_t row, int64_t col) {
    struct place place = problem_place(generated->problem, matrix, row, col);
    struct number number = generated_problem_stored(generated, matrix, place.row, place.col);
    if (matrix != MATRIX_C && generated->problem->args->op[matrix] == SCT_C)
        number.im = -number.im;
    return number;
}

struct fill {
    const struct generated_problem *generated;
    int matrix;
};

static struct number stored(const void *context, int64_t row, int64_t col) {
    const struct fill *fill = context;
    return generated_problem_stored(fill->generated, fill->matrix, row, col);
}

static void fill_tile(const sct_slice *bounds, const sct_block *block, void *context) {
    const struct fill *fill = context;
    block_fill(args_type(fill->generated->problem->args, fill->matrix), bounds, block,
               fill->generated->threads, stored, fill);
}

sct_status generated_problem_fill(const sct_world *world, const struct generated_problem *generated,
                                  sct_matrix *const matrix[MATRICES]) {
    sct_status status = SCT_OK;
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status =
            tiles_visit(world, matrix[i], TILES_WRITE, fill_tile, &(struct fill){generated, i});
    return status;
}
