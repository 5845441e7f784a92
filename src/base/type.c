/* type.c - the table of element types, which sct_type in sectile.h numbers, and the conversion of
 * f16 and bf16 to f32 and back. A new type begins here.
 *
 * The conversions use integers, except for subnormal f16: there, adding and subtracting a power of
 * 2 makes the processor shift and round. Each conversion computes all cases and selects one by
 * masks, so that loops over it vectorize. */
#include "base/type.h"

#include "base/checked.h"
#include "base/status.h"

#include <assert.h>
#include <sectile/sectile.h>
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

/* ---- f16 and bf16 ---- */

enum { F32_INFINITY = 0x7f800000, F32_SIZE = 0x7fffffff, SHIFT = 13 };
/* As f32 bit patterns: 2^16, beyond the range of f16, and 2^-14, its smallest normal number. */
enum { F16_OVER = 143 << 23, F16_LEAST = 113 << 23, F16_BIAS = 112 << 23 };

static inline uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t choose(bool first, uint32_t x, uint32_t y) {
    return y ^ ((x ^ y) & -(uint32_t)first);
}

static inline float widen_f16(uint16_t half) {
    uint32_t size = (uint32_t)(half & 0x7fff) << SHIFT;
    uint32_t normal = size + F16_BIAS;
    uint32_t endless = size | F32_INFINITY;
    uint32_t small = bits_of(float_of(size + F16_LEAST) - float_of(F16_LEAST));
    uint32_t bits = choose((half & 0x7c00) == 0, small, normal);
    bits = choose((half & 0x7c00) == 0x7c00, endless, bits);
    return float_of(bits | (uint32_t)(half & 0x8000) << 16);
}

static inline uint16_t narrow_f16(float value) {
    uint32_t bits = bits_of(value), size = bits & F32_SIZE, sign = bits ^ size;
    /* The last bit of 0.5 in f32 has the value of the smallest f16. */
    uint32_t small = bits_of(float_of(size) + 0.5f) - bits_of(0.5f);
    uint32_t normal = (size - F16_BIAS + (1u << (SHIFT - 1)) - 1 + (size >> SHIFT & 1)) >> SHIFT;
    uint32_t nan = (size >> SHIFT & 0x3ff) | 0x7e00;
    uint32_t half = choose(size < F16_LEAST, small, normal);
    half = choose(size >= F16_OVER, 0x7c00, half);
    half = choose(size > F32_INFINITY, nan, half);
    return (uint16_t)(half | sign >> 16);
}

static inline float widen_bf16(uint16_t half) {
    return float_of((uint32_t)half << 16);
}

static inline uint16_t narrow_bf16(float value) {
    uint32_t bits = bits_of(value), nan = bits >> 16 | 0x40;
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & F32_SIZE) > F32_INFINITY ? nan : rounded);
}

/* Values pass through a buffer of this size, since source and target may overlap. */
enum { CHUNK = 256 };

void sct_half_widen(sct_type type, int64_t count, const void *halves, float *floats) {
    assert(type == SCT_F16 || type == SCT_BF16);
    bool f16 = type == SCT_F16;
    uint16_t chunk[CHUNK];
    for (int64_t at = 0; at < count; at += CHUNK) {
        int64_t size = sct_min(CHUNK, count - at);
        memcpy(chunk, (const char *)halves + (size_t)at * sizeof *chunk,
               (size_t)size * sizeof *chunk);
        for (int64_t i = 0; i < size; i++)
            floats[at + i] = f16 ? widen_f16(chunk[i]) : widen_bf16(chunk[i]);
    }
}

void sct_half_narrow(sct_type type, int64_t count, const float *floats, void *halves) {
    assert(type == SCT_F16 || type == SCT_BF16);
    bool f16 = type == SCT_F16;
    uint16_t chunk[CHUNK];
    for (int64_t at = 0; at < count; at += CHUNK) {
        int64_t size = sct_min(CHUNK, count - at);
        for (int64_t i = 0; i < size; i++)
            chunk[i] = f16 ? narrow_f16(floats[at + i]) : narrow_bf16(floats[at + i]);
        memcpy((char *)halves + (size_t)at * sizeof *chunk, chunk, (size_t)size * sizeof *chunk);
    }
}
