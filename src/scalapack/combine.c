/* combine.c - adds two local parts of matrices, in double precision. */
#include "scalapack/combine.h"

#include <complex.h>

static double complex load(sct_type type, const char *at) {
    switch (type) {
    case SCT_F32:
        return *(const float *)at;
    case SCT_F64:
        return *(const double *)at;
    case SCT_CF32:
        return CMPLX(((const float *)at)[0], ((const float *)at)[1]);
    default:
        return CMPLX(((const double *)at)[0], ((const double *)at)[1]);
    }
}

static void store(sct_type type, double complex value, char *at) {
    switch (type) {
    case SCT_F32:
        *(float *)at = (float)creal(value);
        break;
    case SCT_F64:
        *(double *)at = creal(value);
        break;
    case SCT_CF32:
        ((float *)at)[0] = (float)creal(value);
        ((float *)at)[1] = (float)cimag(value);
        break;
    default:
        ((double *)at)[0] = creal(value);
        ((double *)at)[1] = cimag(value);
    }
}

static bool is_real(sct_type type) {
    return type == SCT_F32 || type == SCT_F64;
}

/* The product of two elements. Real ones are multiplied as reals: a complex product would multiply
 * an infinity by the imaginary part 0, which gives NaN. */
static double complex times(bool real, double complex factor, double complex x) {
    return real ? creal(factor) * creal(x) : factor * x;
}

void sct_combine(sct_type type, const void *alpha, const sct_local_part *from, const void *beta,
                 const sct_local_part *to) {
    size_t bytes = sct_type_bytes(type);
    bool real = is_real(type);
    double complex a = load(type, alpha), b = load(type, beta);
    for (int j = 0; j < to->cols; j++)
        for (int i = 0; i < to->rows; i++) {
            char *at = to->data + ((size_t)j * (size_t)to->ld + (size_t)i) * bytes;
            double complex sum = 0;
            if (a != 0)
                sum = times(
                    real, a,
                    load(type, from->data + ((size_t)j * (size_t)from->ld + (size_t)i) * bytes));
            if (b != 0)
                sum += times(real, b, load(type, at));
            store(type, sum, at);
        }
}
