/* serial.h - a product on one dense copy of each matrix: what a distributed one must come to. */
#ifndef TEST_SERIAL_H
#define TEST_SERIAL_H

#include "support/element.h"

#include <sectile/sectile.h>

enum { SERIAL_A, SERIAL_B, SERIAL_C, SERIAL_MATRICES };

/* Matrices as stored, row-major. `want` is what becomes of C before it is
 * rounded to its type, `bound` how far each of its elements may be off. */
typedef struct serial {
    sct_type type;
    sct_op op[2];
    int64_t m, n, k;
    element alpha, beta;
    int64_t rows[SERIAL_MATRICES], cols[SERIAL_MATRICES];
    element *matrix[SERIAL_MATRICES], *want;
    double *bound;
} serial;

/* Matrices of small integers (most > 0) or of reals in [-1, 1); alpha is 1 and beta is 0. */
serial serial_new(sct_type type, const sct_op op[2], int64_t m, int64_t n, int64_t k, uint64_t seed,
                  int most);
void serial_free(serial *s);

/* Fills in `want` and `bound`. As a BLAS, it does not read C where beta is 0, nor A and B where
 * alpha is. */
void serial_solve(serial *s);

/* Whether an element is what is wanted; NaN is like NaN. With a bound it may be off by so much. A
 * complex element that is not finite is like any other, as their arithmetic is not settled. */
bool serial_like(const serial *s, int64_t row, int64_t col, element is, bool bounded);

#endif
