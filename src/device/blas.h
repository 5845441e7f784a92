/* blas.h - GEMM on the BLAS that the library is linked to. */
#ifndef SCT_DEVICE_BLAS_H
#define SCT_DEVICE_BLAS_H

#include "device/device.h"

/* CBLAS counts in int. */
enum { SCT_BLAS_LONGEST = 1 << 30 };

/* Dimensions beyond `longest` (at most SCT_BLAS_LONGEST), and operands with a leading dimension
 * beyond int, are split into several calls. */
void sct_blas_gemm(sct_type type, const sct_gemm_work *work, int64_t longest);

/* Fails if the BLAS was built for 64-bit integers, unlike cblas.h. */
sct_status sct_blas_check(void);

/* The function `describe` of devices that compute with the BLAS. */
void sct_blas_describe(sct_device *device, char *text, size_t bytes);

#endif
