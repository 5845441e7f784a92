/* settings.h - what the user asks of the drop-in, and the counts of what it did. Both are of the
 * process: Fortran's routines have no place for them. */
#ifndef SCT_SCALAPACK_SETTINGS_H
#define SCT_SCALAPACK_SETTINGS_H

#include "scalapack/program.h"

#include <sectile/sectile_scalapack.h>

/* Why a call is passed on. */
typedef enum sct_passing {
    SCT_NOT_PASSED,
    SCT_SWITCHED_OFF,
    SCT_TOO_SMALL,
    SCT_OVERLAPS, /* the result shares elements with an operand */
    SCT_UNSERVED, /* something failed before the result was touched */
    SCT_CANNOT,   /* the program does not fit: see sct_program_fits */
    SCT_BAD,      /* for ScaLAPACK to report a bad argument; not counted as passed on */
    SCT_PASSINGS
} sct_passing;

/* A product, or a copy of m x n, of which k is SCT_COPIED. */
typedef struct sct_call_shape {
    int m, n, k;
} sct_call_shape;

enum { SCT_COPIED = -1 };

/* Which calls to pass on. */
typedef struct sct_settings {
    bool off;         /* all */
    double threshold; /* those below it: see sct_scalapack_set_threshold */
} sct_settings;

/* What the user asks of this process. */
sct_settings sct_settings_own(const sct_program *program);

/* Whether to pass on a call for its shape, or because the user wants it. */
sct_passing sct_settings_passing(const sct_settings *settings, const sct_call_shape *shape);

/* What becomes of a call that could not be served, or has been. */
sct_passing sct_passing_after(sct_status status);

/* Returns the time at which a call begins, in seconds on a clock, for sct_tally. For a call that is
 * passed on it returns 0, unless counts are to be printed: reading the clock takes 1 % of the time
 * of the smallest. */
double sct_call_start(sct_passing why);

/* Counts a call that began at `start`, by what became of it. The reason for SCT_CANNOT and
 * SCT_UNSERVED is that of the last failure. */
void sct_tally(sct_passing why, double start, const sct_call_shape *shape);

#endif
