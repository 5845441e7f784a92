/* blas_library.c - the BLAS that the library is linked to: its name and version, and whether its
 * integers are those of cblas.h, whose declarations for some libraries differ from these. */
#include "device/blas.h"

#include <stdint.h>
#include <stdio.h>

/* A BLAS with 64-bit integers (ILP64) often has the same names. Called through cblas.h it works
 * while the upper half of each argument happens to be zero, and fails at random. The Fortran
 * interface shows it reliably, since it passes pointers: here to a 1 that is the lower half of a
 * negative number, for which a dot product has no elements. Weak, since a CBLAS need not have it.
 */
double ddot_(const int32_t *n, const double *x, const int32_t *x_step, const double *y,
             const int32_t *y_step) __attribute__((weak));

/* On a big-endian machine the neighbour would be the lower half: a huge count. */
static bool is_little_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

sct_status sct_blas_check(void) {
    const int32_t one[] = {1, -1}, step[] = {1, 0};
    const double two = 2, three = 3;
    if (!ddot_ || !is_little_endian() || ddot_(one, &two, step, &three, step) == two * three)
        return SCT_OK;
    return sct_fail(SCT_FAILED, "the BLAS has 64-bit integers (ILP64); one with 32-bit integers "
                                "(LP64) is needed");
}

/* Weak, since other libraries do not have it. */
const char *openblas_get_config(void) __attribute__((weak));

void sct_blas_describe(sct_device *device, char *text, size_t bytes) {
    (void)device;
    snprintf(text, bytes, "the host, with %s",
             openblas_get_config ? openblas_get_config() : "a BLAS");
}
