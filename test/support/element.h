/* element.h - single elements of any type, read and written one by one, for reference loops. */
#ifndef TEST_ELEMENT_H
#define TEST_ELEMENT_H

#include "base/type.h"
#include "support/check.h"

typedef struct element {
    double re, im;
} element;

static inline element element_get(sct_type type, const void *data, int64_t index) {
    const float *f = data;
    const double *d = data;
    switch (type) {
    case SCT_F32:
        return (element){f[index], 0};
    case SCT_F64:
        return (element){d[index], 0};
    case SCT_CF32:
        return (element){f[2 * index], f[2 * index + 1]};
    case SCT_F16:
    case SCT_BF16: {
        float wide;
        sct_half_widen(type, 1, (const char *)data + 2 * index, &wide);
        return (element){wide, 0};
    }
    default:
        return (element){d[2 * index], d[2 * index + 1]};
    }
}

static inline void element_put(sct_type type, void *data, int64_t index, element value) {
    int64_t parts = sct_type_complex(type) ? 2 : 1;
    for (int64_t i = 0; i < parts; i++) {
        double part = i == 0 ? value.re : value.im;
        float single = (float)part;
        if (sct_type_bytes(type) == 2)
            sct_half_narrow(type, 1, &single, (char *)data + 2 * index);
        else if (sct_type_part(type) == SCT_F32)
            ((float *)data)[parts * index + i] = single;
        else
            ((double *)data)[parts * index + i] = part;
    }
}

static inline element element_plus(element a, element b) {
    return (element){a.re + b.re, a.im + b.im};
}

static inline element element_times(element a, element b) {
    return (element){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline element element_conjugate(element a) {
    return (element){a.re, -a.im};
}

static inline sct_scalar element_scalar(sct_type type, element value) {
    sct_scalar scalar = {.f64 = {0, 0}};
    element_put(type, &scalar, 0, value);
    return scalar;
}

/* The value after it is stored in this type and read back. */
static inline element element_rounded(sct_type type, element value) {
    double memory[2];
    element_put(type, memory, 0, value);
    return element_get(type, memory, 0);
}

/* A small integer, so that sums of products are exact; with an imaginary part if the type is
 * complex. */
static inline element element_random(sct_type type, uint64_t *state) {
    double re = (double)check_between(state, -4, 4);
    return (element){re, sct_type_complex(type) ? (double)check_between(state, -4, 4) : 0};
}

static inline void elements_fill(sct_type type, void *data, int64_t count, uint64_t *state) {
    for (int64_t i = 0; i < count; i++)
        element_put(type, data, i, element_random(type, state));
}

/* Whether all elements are equal; NaN equals NaN. */
static inline bool elements_equal(sct_type type, const void *x, const void *y, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        element a = element_get(type, x, i), b = element_get(type, y, i);
        if ((a.re != b.re && (a.re == a.re || b.re == b.re)) ||
            (a.im != b.im && (a.im == a.im || b.im == b.im)))
            return false;
    }
    return true;
}

#endif
