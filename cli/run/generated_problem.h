/* generated_problem.h - a product of made-up elements, and what every element of it must be. */
#ifndef CLI_RUN_GENERATED_PROBLEM_H
#define CLI_RUN_GENERATED_PROBLEM_H

#include "args/problem.h"
#include "values/element.h"

struct trial {
    const struct problem *problem;
    struct source source;
    struct number alpha, beta;
};

/* Sets what this rank has of A, B and C. Where beta is 0, the C that must not be read is NaN. */
sct_status trial_fill(const sct_world *world, const struct trial *trial,
                      sct_matrix *const matrix[MATRICES]);

/* Element (row, col) of op(A), of op(B), or of C before the product. */
struct number trial_operand(const struct trial *trial, int matrix, int64_t row, int64_t col);

/* What a stored matrix has at (row, col) before the product. */
struct number trial_stored(const struct trial *trial, int matrix, int64_t row, int64_t col);

#endif
