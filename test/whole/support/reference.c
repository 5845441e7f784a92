/* reference.c - the definition of a product as loops, with a bound of its rounding errors. */
#include "whole/support/reference.h"

#include "whole/support/elements.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void shape(reference *s, int matrix, int64_t rows, int64_t cols) {
    bool turned = matrix != REFERENCE_C && s->op[matrix] != SCT_N;
    s->rows[matrix] = turned ? cols : rows;
    s->cols[matrix] = turned ? rows : cols;
}

reference reference_new(sct_type type, const sct_op op[2], int64_t m, int64_t n, int64_t k,
                        uint64_t seed, int most) {
    reference s = {.type = type,
                   .op = {op[0], op[1]},
                   .m = m,
                   .n = n,
                   .k = k,
                   .alpha = {1, 0},
                   .beta = {0, 0}};
    shape(&s, REFERENCE_A, m, k);
    shape(&s, REFERENCE_B, k, n);
    shape(&s, REFERENCE_C, m, n);
    for (int matrix = 0; matrix < REFERENCE_MATRICES; matrix++) {
        int64_t rows = s.rows[matrix], cols = s.cols[matrix];
        source from = {seed * REFERENCE_MATRICES + (uint64_t)matrix, most};
        s.matrix[matrix] = malloc((size_t)(rows * cols + 1) * sizeof *s.matrix[matrix]);
        for (int64_t i = 0; i < rows * cols; i++)
            s.matrix[matrix][i] =
                element_rounded(type, source_element(type, from, i / cols, i % cols));
    }
    s.want = calloc((size_t)(m * n) + 1, sizeof *s.want);
    s.bound = calloc((size_t)(m * n) + 1, sizeof *s.bound);
    return s;
}

void reference_free(reference *s) {
    for (int matrix = 0; matrix < REFERENCE_MATRICES; matrix++)
        free(s->matrix[matrix]);
    free(s->want);
    free(s->bound);
}

static element operand(const reference *s, int matrix, int64_t row, int64_t col) {
    bool turned = s->op[matrix] != SCT_N;
    int64_t at = turned ? col * s->cols[matrix] + row : row * s->cols[matrix] + col;
    element e = s->matrix[matrix][at];
    return s->op[matrix] == SCT_C ? element_conjugate(e) : e;
}

static double size(element e) {
    return hypot(e.re, e.im);
}

/* gamma(n) = n u / (1 - n u), with n = k + 3, or 2 k + 4 for complex types. */
static double gamma_of(const reference *s) {
    double u = (sct_type_part(sct_type_sum(s->type)) == SCT_F32 ? FLT_EPSILON : DBL_EPSILON) / 2;
    double n = sct_type_complex(s->type) ? 2 * (double)s->k + 4 : (double)s->k + 3;
    return n * u / (1 - n * u);
}

/* Rounding errors of long double are far below the bound. */
typedef struct wide {
    long double re, im;
} wide;

/* sum + a b. Real types skip the imaginary parts, where 0 times infinity would give NaN. */
static wide plus_product(const reference *s, wide sum, element a, wide b) {
    if (!sct_type_complex(s->type))
        return (wide){sum.re + a.re * b.re, 0};
    return (wide){sum.re + (a.re * b.re - a.im * b.im), sum.im + (a.re * b.im + a.im * b.re)};
}

/* The additional error of rounding a sum to f16 or bf16. */
static double last_rounding(sct_type type, element want, double bound) {
    if (sct_type_sum(type) == type)
        return 0;
    bool f16 = type == SCT_F16;
    return ldexp(size(want) + bound, f16 ? -11 : -8) + ldexp(1, f16 ? -25 : -134);
}

static void solve_element(reference *s, int64_t i, int64_t j) {
    wide product = {0, 0}, sum = {0, 0};
    double bound = 0;
    bool reads = size(s->alpha) != 0 && s->k > 0, keeps = size(s->beta) != 0;
    for (int64_t l = 0; l < s->k && reads; l++) {
        element a = operand(s, REFERENCE_A, i, l), b = operand(s, REFERENCE_B, l, j);
        product = plus_product(s, product, a, (wide){b.re, b.im});
        bound += size(s->alpha) * size(a) * size(b);
    }
    if (reads)
        sum = plus_product(s, sum, s->alpha, product);
    element c = s->matrix[REFERENCE_C][i * s->n + j];
    if (keeps) {
        sum = plus_product(s, sum, s->beta, (wide){c.re, c.im});
        bound += size(s->beta) * size(c);
    }
    element want = {(double)sum.re, (double)sum.im};
    bound *= gamma_of(s);
    s->want[i * s->n + j] = want;
    s->bound[i * s->n + j] = bound + last_rounding(s->type, want, bound);
}

void reference_solve(reference *s) {
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++)
            solve_element(s, i, j);
}

static bool same(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

static bool is_finite(element e) {
    return isfinite(e.re) && isfinite(e.im);
}

bool reference_matches(const reference *s, int64_t row, int64_t col, element is, bool bounded) {
    element want = s->want[row * s->n + col];
    if (bounded)
        return size((element){is.re - want.re, is.im - want.im}) <= s->bound[row * s->n + col];
    want = element_rounded(s->type, want);
    if (sct_type_complex(s->type) && !is_finite(want))
        return !is_finite(is);
    return same(is.re, want.re) && same(is.im, want.im);
}
