/* plan_drawing.h - the data of a plan picture: A, B and C, their owners and tiles, and the steps of
 * one rank.
 *
 * All indices are those of the product; ops and views are already applied. */
#ifndef PICTURES_PLAN_DRAWING_H
#define PICTURES_PLAN_DRAWING_H

#include <sectile/sectile.h>
#include <stdbool.h>

enum { DIM_M, DIM_N, DIM_K, DIMS };
enum { OPERAND_A, OPERAND_B, OPERAND_C, OPERANDS };

struct drawing {
    const sct_problem *problem;
    const sct_plan *plan;
    int rank; /* whose plan it is */
    int64_t steps;
    int64_t size[DIMS];
    const sct_layout *layout[OPERANDS];
    sct_slice view[OPERANDS]; /* the part of each stored matrix that is the operand */
    bool turned[OPERANDS];    /* rows of op(A), op(B) or C are columns of the stored matrix */
    int replica[OPERANDS];    /* home replicas of the rank */
};

sct_status drawing_create(const sct_problem *problem, const sct_plan *plan, int rank,
                          struct drawing *drawing);

/* The product dimension of the rows, and of the columns, of op(A), op(B) or C. */
int drawing_down(int operand);
int drawing_across(int operand);

/* The owner of element (row, col) of op(A), op(B) or C in the drawn replica; and the bounds of its
 * tile, cut off at those of the operand. */
int drawing_owner(const struct drawing *drawing, int operand, int64_t row, int64_t col);
sct_slice drawing_tile(const struct drawing *drawing, int operand, int64_t row, int64_t col);

/* The indices of a step in a dimension. */
const sct_indices *drawing_indices(const sct_step *step, int dim);

#endif
