/* reference.h - a product computed serially from dense matrices: what a distributed product must
 * give. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "support/element.h"

#include <sectile/sectile.h>

enum { REFERENCE_A, REFERENCE_B, REFERENCE_C, REFERENCE_MATRICES };

/* The matrices are stored row-major. `want` is the expected C before it is rounded to its type,
 * `bound` the permitted error of each element. */
typedef struct reference {
    sct_type type;
    sct_op op[2];
    int64_t m, n, k;
    element alpha, beta;
    int64_t rows[REFERENCE_MATRICES], cols[REFERENCE_MATRICES];
    element *matrix[REFERENCE_MATRICES], *want;
    double *bound;
} reference;

/* Random matrices of small integers (most > 0) or of reals in [-1, 1) (most = 0); alpha is 1, beta
 * is 0. */
reference reference_new(sct_type type, const sct_op op[2], int64_t m, int64_t n, int64_t k,
                        uint64_t seed, int most);
void reference_free(reference *s);

/* Computes `want` and `bound`. Like a BLAS, it does not read C if beta is 0, nor A and B if alpha
 * is 0. */
void reference_solve(reference *s);

/* Whether an element is the expected one, NaN being equal to NaN; if `bounded`, within the error
 * bound. Any two complex elements that are not finite match, because implementations differ in
 * complex arithmetic with infinities. */
bool reference_matches(const reference *s, int64_t row, int64_t col, element is, bool bounded);

#endif
