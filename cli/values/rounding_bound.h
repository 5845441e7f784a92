/* rounding_bound.h - the bound on the rounding error of an element. */
#ifndef CLI_VALUES_ROUNDING_BOUND_H
#define CLI_VALUES_ROUNDING_BOUND_H

#include "values/element.h"

/* An element of C in higher precision; `size` is that of |alpha| |A| |B| + |beta| |C|, to which
 * rounding errors are relative. */
struct wide {
    long double re, im, size;
};

struct rounding_bound {
    sct_type sum, type;     /* types of sums, and of C */
    long double relative;   /* relative to size: gamma(k + 3), or gamma(2k + 4) for complex types */
    long double underflows; /* absolute error of subnormal products */
};

/* With `math`, factors may be rounded, which counts as an error as well. */
struct rounding_bound rounding_bound_create(sct_type sum, sct_type type, sct_math math, int64_t k,
                                            struct number alpha);

/* The error of an element over its bound, where `was` is the exact value; up to 1 is right. A value
 * that must round to infinity has to be infinite. Where sums may overflow, infinities and NaN are
 * right. */
double rounding_bound_used(const struct rounding_bound *bound, const struct wide *was,
                           struct number is);

#endif
