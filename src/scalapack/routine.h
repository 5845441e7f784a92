/* routine.h - a routine of ScaLAPACK that this library serves. */
#ifndef SCT_SCALAPACK_ROUTINE_H
#define SCT_SCALAPACK_ROUTINE_H

#include "scalapack/loaded.h"

#include <sectile/sectile.h>

typedef enum sct_routine_number {
    SCT_PSGEMM,
    SCT_PDGEMM,
    SCT_PCGEMM,
    SCT_PZGEMM,
    SCT_PSTRAN,
    SCT_PDTRAN,
    SCT_PCTRANU,
    SCT_PZTRANU,
    SCT_PCTRANC,
    SCT_PZTRANC,
    SCT_PSGEMR2D,
    SCT_PDGEMR2D,
    SCT_PCGEMR2D,
    SCT_PZGEMR2D,
    SCT_CPSGEMR2D, /* the same for C */
    SCT_CPDGEMR2D,
    SCT_CPCGEMR2D,
    SCT_CPZGEMR2D,
    SCT_ROUTINES
} sct_routine_number;

typedef struct sct_routine {
    sct_routine_number number;
    sct_type type;
    const char *name, *symbol; /* in reports, and for the linker */
    sct_function *ours;        /* in this library, whatever else has its names */
} sct_routine;

#endif
