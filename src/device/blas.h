/* blas.h - a matrix product on the BLAS that this library is linked to. */
#ifndef SCT_DEVICE_BLAS_H
#define SCT_DEVICE_BLAS_H

#include "device/device.h"

/* CBLAS counts in int. */
enum { SCT_BLAS_LONGEST = 1 << 30 };

/* Dimensions beyond `longest` (at most SCT_BLAS_LONGEST) are cut into several calls; a leading
 * dimension that no int holds is SCT_TOO_LARGE. */
sct_status sct_blas_gemm(sct_type type, const sct_gemm_work *work, int64_t longest);

#endif
