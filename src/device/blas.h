/* blas.h - a matrix product on the BLAS that this library is linked to. */
#ifndef SCT_DEVICE_BLAS_H
#define SCT_DEVICE_BLAS_H

#include "device/device.h"

/* CBLAS counts in int. */
enum { SCT_BLAS_LONGEST = 1 << 30 };

/* Dimensions beyond `longest` (at most SCT_BLAS_LONGEST) are cut into several calls, and so are
 * operands with a leading dimension that no int holds. */
void sct_blas_gemm(sct_type type, const sct_gemm_work *work, int64_t longest);

/* Whether the BLAS counts in int, as cblas.h says: one that was built to count in 64 bits must not
 * be used. */
sct_status sct_blas_check(void);

#endif
