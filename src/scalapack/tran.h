/* tran.h - one call of p?tran, p?tranu or p?tranc. */
#ifndef SCT_SCALAPACK_TRAN_H
#define SCT_SCALAPACK_TRAN_H

#include "scalapack/arguments.h"
#include "scalapack/routine.h"

/* The arguments as the program passed them. */
typedef struct sct_tran_call {
    const int *m, *n;
    const void *alpha, *beta;
    sct_matrix_argument a, c;
} sct_tran_call;

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments. */
void sct_tran_run(const sct_routine *routine, sct_op op, const void *caller,
                  const sct_tran_call *call);

#endif
