/* gemm.h - one call of p?gemm. */
#ifndef SCT_SCALAPACK_GEMM_H
#define SCT_SCALAPACK_GEMM_H

#include "scalapack/arguments.h"
#include "scalapack/routine.h"

/* The arguments as the program passed them. */
typedef struct sct_gemm_call {
    const char *op_a, *op_b;
    const int *m, *n, *k;
    const void *alpha, *beta;
    sct_matrix_argument a, b, c;
} sct_gemm_call;

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments. */
void sct_gemm_run(const sct_routine *routine, const void *caller, const sct_gemm_call *call);

#endif
