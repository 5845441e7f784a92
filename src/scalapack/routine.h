/* routine.h - a routine of ScaLAPACK that this library serves. */
#ifndef SCT_SCALAPACK_ROUTINE_H
#define SCT_SCALAPACK_ROUTINE_H

#include "scalapack/program.h"

typedef struct sct_routine {
    sct_type type;
    const char *name, *symbol; /* in reports, and for the linker */
    sct_function *ours;        /* by its prefixed name: the other may be ScaLAPACK's */
    sct_function *original;    /* once looked up; NULL: the program has none */
    bool looked_up;
} sct_routine;

/* ScaLAPACK's routine. Looking it up takes longer than a small product. */
static inline sct_function *sct_routine_original(sct_routine *routine) {
    if (!routine->looked_up)
        routine->original = sct_program_original(routine->symbol, routine->ours);
    routine->looked_up = true;
    return routine->original;
}

#endif
