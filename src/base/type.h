/* type.h - element types, and scalars of any of them. */
#ifndef SCT_BASE_TYPE_H
#define SCT_BASE_TYPE_H

#include <sectile/sectile.h>
#include <stdbool.h>

typedef union sct_scalar {
    float f32[2];
    double f64[2];
} sct_scalar;

bool sct_type_valid(sct_type type);
/* Fails with SCT_BAD_ARGUMENT if it is not a type. */
sct_status sct_check_type(sct_type type);
bool sct_type_complex(sct_type type);
/* The type of the real and imaginary parts; of a real type, itself. */
SCT_API sct_type sct_type_part(sct_type type);

sct_scalar sct_scalar_load(sct_type type, const void *value);
sct_scalar sct_scalar_real(sct_type type, double value);
SCT_API bool sct_scalar_is(sct_type type, sct_scalar scalar, double value);

#endif
