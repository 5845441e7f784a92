/* rounding_bound.c - how far rounding may take an element from the product in higher precision. */
#include "values/rounding_bound.h"

#include <math.h>

/* What is not below it rounds to infinity. */
static long double overflow_of(sct_type type) {
    static const int exponents[] = {[SCT_F32] = 127,   [SCT_F64] = 1023, [SCT_CF32] = 127,
                                    [SCT_CF64] = 1023, [SCT_F16] = 15,   [SCT_BF16] = 127};
    return ldexpl(2 - ldexpl(1, -element_bits(type)), exponents[type]);
}

/* The most that rounding moves a number that is too small to have all bits. */
static long double underflow_of(sct_type type) {
    static const int exponents[] = {[SCT_F32] = -150,   [SCT_F64] = -1075, [SCT_CF32] = -150,
                                    [SCT_CF64] = -1075, [SCT_F16] = -25,   [SCT_BF16] = -134};
    return ldexpl(1, exponents[type]);
}

/* In whatever order they multiply, a term of the sum has two products: one that has no alpha in it
 * yet, or one with an element, which is at most 1; and one with alpha. */
struct margin margin_create(sct_type sum, sct_type type, int64_t k, struct number alpha) {
    bool complex = element_is_complex(sum);
    long double roundings = complex ? 2 * (long double)k + 4 : (long double)k + 3;
    long double unit = ldexpl(1, -element_bits(sum));
    long double growth = 2 + hypotl(alpha.re, alpha.im);
    return (struct margin){.sum = sum,
                           .type = type,
                           .relative = roundings * unit / (1 - roundings * unit),
                           .underflows =
                               (complex ? 2 : 1) * roundings * growth * underflow_of(sum)};
}

/* How far the sum may be off. */
static long double limit_of(const struct margin *margin, const struct wide *was) {
    return margin->relative * was->size + margin->underflows;
}

/* How far a sum that may be off by `limit` may be when it is rounded to C's type. */
static long double rounded(const struct margin *margin, const struct wide *was, long double limit) {
    if (margin->type == margin->sum)
        return limit;
    return limit + ldexpl(fabsl(was->re) + limit, -element_bits(margin->type)) +
           underflow_of(margin->type);
}

/* The error of a real number, or of a part of a complex one. */
static long double error_of(const struct margin *margin, long double was, double is,
                            long double limit) {
    long double most = overflow_of(margin->type);
    bool may = fabsl(was) + limit >= most, must = fabsl(was) - limit >= most;
    if (may && isinf(is) && (is > 0) == (was > 0))
        return 0;
    return must ? (long double)INFINITY : is - was;
}

double margin_used(const struct margin *margin, const struct wide *was, struct number is) {
    long double limit = limit_of(margin, was);
    bool finite = isfinite(is.re) && isfinite(is.im);
    if (!finite && was->size + limit >= overflow_of(margin->sum))
        return 0;
    long double error =
        hypotl(error_of(margin, was->re, is.re, limit), error_of(margin, was->im, is.im, limit));
    long double ratio = error == 0 ? 0 : error / rounded(margin, was, limit);
    return isnan(ratio) ? (double)INFINITY : (double)ratio;
}
