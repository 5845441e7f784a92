/* tran.h - one call of p?tran, p?tranu or p?tranc. */
#ifndef SCT_SCALAPACK_TRAN_H
#define SCT_SCALAPACK_TRAN_H

#include "scalapack/arguments.h"
#include "scalapack/routine.h"

/* The arguments as the program passed them. */
typedef struct sct_tran_call {
    const int *m, *n;
    const void *alpha, *beta;
    sct_operand a, c;
} sct_tran_call;

/* Serves the call, passes it on, or reports a bad argument. */
void sct_tran_run(sct_routine *routine, sct_op op, const sct_tran_call *call);

#endif
