/* blas_describe.c - the name and version of the BLAS. */
#include "device/blas.h"

#include <stdio.h>

/* Weak, since other libraries do not have it. */
const char *openblas_get_config(void) __attribute__((weak));

void sct_blas_describe(sct_device *device, char *text, size_t bytes) {
    (void)device;
    snprintf(text, bytes, "the host, with %s",
             openblas_get_config ? openblas_get_config() : "a BLAS");
}
