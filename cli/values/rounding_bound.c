/* rounding_bound.c - the bound on the rounding error of an element. */
#include "values/rounding_bound.h"

#include <math.h>

/* Values from here on round to infinity. */
static long double overflow_of(sct_type type) {
    static const int exponents[] = {[SCT_F32] = 127,   [SCT_F64] = 1023, [SCT_CF32] = 127,
                                    [SCT_CF64] = 1023, [SCT_F16] = 15,   [SCT_BF16] = 127};
    return ldexpl(2 - ldexpl(1, -element_bits(type)), exponents[type]);
}

/* The largest rounding error of a subnormal product. */
static long double underflow_of(sct_type type) {
    static const int exponents[] = {[SCT_F32] = -150,   [SCT_F64] = -1075, [SCT_CF32] = -150,
                                    [SCT_CF64] = -1075, [SCT_F16] = -25,   [SCT_BF16] = -134};
    return ldexpl(1, exponents[type]);
}

/* The largest relative error of the product of two factors that are cut off. */
static long double factors_of(sct_math math) {
    enum { TF32_BITS = 11 };
    long double one = math == SCT_MATH_TF32 ? ldexpl(1, 1 - TF32_BITS) : 0;
    return one * (2 + one);
}

/* Each term is the product of alpha and two elements, in any order, and either product may
 * underflow. The error of the first is then multiplied by alpha, or by an element of at most 1. */
struct rounding_bound rounding_bound_create(sct_type sum, sct_type type, sct_math math, int64_t k,
                                            struct number alpha) {
    bool complex = element_is_complex(sum);
    long double roundings = complex ? 2 * (long double)k + 4 : (long double)k + 3;
    long double unit = ldexpl(1, -element_bits(sum));
    long double growth = 2 + hypotl(alpha.re, alpha.im);
    return (struct rounding_bound){
        .sum = sum,
        .type = type,
        .relative = (roundings * unit + factors_of(math)) / (1 - roundings * unit),
        .underflows = (complex ? 2 : 1) * roundings * growth * underflow_of(sum)};
}

/* The bound after rounding a sum, which may be off by `limit`, to C's type. */
static long double rounded(const struct rounding_bound *bound, const struct wide *was,
                           long double limit) {
    if (bound->type == bound->sum)
        return limit;
    return limit + ldexpl(fabsl(was->re) + limit, -element_bits(bound->type)) +
           underflow_of(bound->type);
}

/* The error of a real number, or of one part of a complex one; infinite if `is` had to be. */
static long double error_of(const struct rounding_bound *bound, long double was, double is,
                            long double limit) {
    long double most = overflow_of(bound->type);
    bool may = fabsl(was) + limit >= most, must = fabsl(was) - limit >= most;
    if (may && isinf(is) && (is > 0) == (was > 0))
        return 0;
    return must ? (long double)INFINITY : is - was;
}

double rounding_bound_used(const struct rounding_bound *bound, const struct wide *was,
                           struct number is) {
    long double limit = bound->relative * was->size + bound->underflows; /* of the sum's error */
    bool finite = isfinite(is.re) && isfinite(is.im);
    if (!finite && was->size + limit >= overflow_of(bound->sum))
        return 0;
    long double error =
        hypotl(error_of(bound, was->re, is.re, limit), error_of(bound, was->im, is.im, limit));
    long double ratio = error == 0 ? 0 : error / rounded(bound, was, limit);
    return isnan(ratio) ? (double)INFINITY : (double)ratio;
}
