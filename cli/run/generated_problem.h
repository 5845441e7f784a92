/* generated_problem.h - a product of made-up elements, and what every element of it must be. */
#ifndef CLI_RUN_GENERATED_PROBLEM_H
#define CLI_RUN_GENERATED_PROBLEM_H

#include "args/problem.h"
#include "values/element.h"

struct generated_problem {
    const struct problem *problem;
    struct source source;
    struct number alpha, beta;
};

/* Sets what this rank has of A, B and C. Where beta is 0, the C that must not be read is NaN. */
sct_status generated_problem_fill(const sct_world *world, const struct generated_problem *trial,
                                  sct_matrix *const matrix[MATRICES]);

/* Element (row, col) of op(A), of op(B), or of C before the product. */
struct number generated_problem_operand(const struct generated_problem *trial, int matrix,
                                        int64_t row, int64_t col);

/* What a stored matrix has at (row, col) before the product. */
struct number generated_problem_stored(const struct generated_problem *trial, int matrix,
                                       int64_t row, int64_t col);

#endif
