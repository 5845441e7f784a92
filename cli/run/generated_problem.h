/* generated_problem.h - a problem whose matrices any rank can generate, element by element. */
#ifndef CLI_RUN_GENERATED_PROBLEM_H
#define CLI_RUN_GENERATED_PROBLEM_H

#include "args/problem.h"
#include "values/element.h"

struct generated_problem {
    const struct problem *problem;
    struct source source;
    struct number alpha, beta;
    int threads; /* of a rank, to generate its elements; at least 1 */
};

/* Sets the elements of A, B and C that this rank owns. If beta is 0, C must not be read, and its
 * operand is NaN. */
sct_status generated_problem_fill(const sct_world *world, const struct generated_problem *generated,
                                  sct_matrix *const matrix[MATRICES]);

/* Element (row, col) of op(A), of op(B), or of C before the product. */
struct number generated_problem_operand(const struct generated_problem *generated, int matrix,
                                        int64_t row, int64_t col);

/* True if a place is in the slice. */
bool generated_problem_inside(const sct_slice *slice, int64_t row, int64_t col);

/* Element (row, col) of a stored matrix before the product. */
struct number generated_problem_stored(const struct generated_problem *generated, int matrix,
                                       int64_t row, int64_t col);

#endif
