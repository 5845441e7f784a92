/* gemr2d.h - one call of p?gemr2d. */
#ifndef SCT_SCALAPACK_GEMR2D_H
#define SCT_SCALAPACK_GEMR2D_H

#include "scalapack/arguments.h"
#include "scalapack/routine.h"

/* The arguments as the program passed them. */
typedef struct sct_gemr2d_call {
    const int *m, *n;
    sct_matrix_argument a, b;
    const int *context; /* of all processes of both */
} sct_gemr2d_call;

/* Serves a call of the code at `caller`, or passes it on. ScaLAPACK reports bad arguments. */
void sct_gemr2d_run(const sct_routine *routine, const void *caller, const sct_gemr2d_call *call);

#endif
