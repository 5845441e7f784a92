/* plan_drawing.h - the data of a plan picture: A, B and C, their owners and tiles, and the steps of
 * one rank.
 *
 * All indices are those of the product; ops and views are already applied. */
#ifndef CLI_DRAW_PLAN_DRAWING_H
#define CLI_DRAW_PLAN_DRAWING_H

#include "args/problem.h"

enum { DIM_M, DIM_N, DIM_K, DIMS };

struct drawing {
    const struct problem *problem;
    const sct_plan *plan; /* for the rank named by --rank */
    int64_t steps;
    int64_t size[DIMS];
    int replica[MATRICES]; /* home replicas of the rank */
};

sct_status drawing_create(const struct problem *problem, const sct_plan *plan,
                          struct drawing *drawing);

/* The product dimension of the rows, and of the columns, of op(A), op(B) or C. */
int drawing_down(int matrix);
int drawing_across(int matrix);

/* The owner of element (row, col) of op(A), op(B) or C in the drawn replica; and the bounds of its
 * tile, cut off at those of the operand. */
int drawing_owner(const struct drawing *drawing, int matrix, int64_t row, int64_t col);
sct_slice drawing_tile(const struct drawing *drawing, int matrix, int64_t row, int64_t col);

/* The indices of a step in a dimension. */
const sct_indices *drawing_indices(const sct_step *step, int dim);

#endif
