/* routine.h - a routine of ScaLAPACK that this library serves. */
#ifndef SCT_SCALAPACK_ROUTINE_H
#define SCT_SCALAPACK_ROUTINE_H

#include "scalapack/program.h"

typedef struct sct_routine {
    sct_type type;
    const char *name, *symbol; /* in reports, and for the linker */
    sct_function *ours;        /* by its prefixed name: the other may be ScaLAPACK's */
} sct_routine;

#endif
