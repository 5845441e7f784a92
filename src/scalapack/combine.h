/* combine.h - alpha and beta, and the sum of two local parts of matrices, each with a factor. */
#ifndef SCT_SCALAPACK_COMBINE_H
#define SCT_SCALAPACK_COMBINE_H

#include "scalapack/arguments.h"

#include <sectile/sectile.h>
#include <stdbool.h>

/* True if an element of f32, f64, cf32 or cf64 is this real number. */
static inline bool sct_element_is(sct_type type, const void *element, double real) {
    const float *single = element;
    const double *twice = element;
    switch (type) {
    case SCT_F32:
        return single[0] == real;
    case SCT_CF32:
        return single[0] == real && single[1] == 0;
    case SCT_F64:
        return twice[0] == real;
    default:
        return twice[0] == real && twice[1] == 0;
    }
}

/* to = alpha from + beta to, for parts of one shape, which may be the same. What a factor of 0
 * belongs to is not read. */
void sct_combine(sct_type type, const void *alpha, const sct_local_part *from, const void *beta,
                 const sct_local_part *to);

#endif
