/* rounding_bound.h - how far rounding may take an element from the product in higher precision. */
#ifndef CLI_VALUES_ROUNDING_BOUND_H
#define CLI_VALUES_ROUNDING_BOUND_H

#include "values/element.h"

/* An element in higher precision; `size` is |alpha| |A| |B| + |beta| |C|. */
struct wide {
    long double re, im, size;
};

struct margin {
    sct_type sum, type;     /* that sums are kept in; that C has */
    long double relative;   /* to the size: gamma(k + 3), or gamma(2k + 4) for complex numbers */
    long double underflows; /* what products that are too small for the type add to that */
};

struct margin margin_create(sct_type sum, sct_type type, int64_t k, struct number alpha);

/* The error over its bound: up to 1 it is right. What must round to infinity is wrong unless it is
 * that infinity; where sums may overflow on the way, infinities and NaN are right. */
double margin_used(const struct margin *margin, const struct wide *was, struct number is);

#endif
