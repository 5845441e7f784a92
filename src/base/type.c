/* type.c - the table of element types, which sct_type in sectile.h numbers. A new one begins here.
 */
#include "base/type.h"

#include "base/status.h"

#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
    bool complex;
    sct_type part, sum;
} types[] = {
    [SCT_F32] = {"f32", 4, false, SCT_F32, SCT_F32},
    [SCT_F64] = {"f64", 8, false, SCT_F64, SCT_F64},
    [SCT_CF32] = {"cf32", 8, true, SCT_F32, SCT_CF32},
    [SCT_CF64] = {"cf64", 16, true, SCT_F64, SCT_CF64},
    [SCT_F16] = {"f16", 2, false, SCT_F16, SCT_F32},
    [SCT_BF16] = {"bf16", 2, false, SCT_BF16, SCT_F32},
};

bool sct_type_valid(sct_type type) {
    return (size_t)type < sizeof types / sizeof *types;
}

sct_status sct_check_type(sct_type type) {
    if (sct_type_valid(type))
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "type %d is not one of f32, f64, cf32, cf64, f16, bf16",
                    (int)type);
}

size_t sct_type_bytes(sct_type type) {
    return sct_type_valid(type) ? types[type].bytes : 0;
}

const char *sct_type_name(sct_type type) {
    return sct_type_valid(type) ? types[type].name : "unknown";
}

sct_type sct_type_sum(sct_type type) {
    return sct_type_valid(type) ? types[type].sum : type;
}

bool sct_type_complex(sct_type type) {
    return types[type].complex;
}

sct_type sct_type_part(sct_type type) {
    return types[type].part;
}

sct_scalar sct_scalar_load(sct_type type, const void *value) {
    sct_scalar scalar = {.f64 = {0, 0}};
    memcpy(&scalar, value, sct_type_bytes(type));
    return scalar;
}

sct_scalar sct_scalar_real(sct_type type, double value) {
    sct_scalar scalar = {.f64 = {0, 0}};
    if (sct_type_part(type) == SCT_F32)
        scalar.f32[0] = (float)value;
    else
        scalar.f64[0] = value;
    return scalar;
}

bool sct_scalar_is(sct_type type, sct_scalar scalar, double value) {
    if (sct_type_part(type) == SCT_F32)
        return scalar.f32[0] == (float)value && (!sct_type_complex(type) || scalar.f32[1] == 0);
    return scalar.f64[0] == value && (!sct_type_complex(type) || scalar.f64[1] == 0);
}
