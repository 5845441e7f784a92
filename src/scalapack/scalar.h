/* scalar.h - alpha and beta. */
#ifndef SCT_SCALAPACK_SCALAR_H
#define SCT_SCALAPACK_SCALAR_H

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

#endif
