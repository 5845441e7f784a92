/* settings.h - what the user asks of the drop-in, and the counts of what it did. Both are of the
 * process: Fortran's routines have no place for them. */
#ifndef SCT_SCALAPACK_SETTINGS_H
#define SCT_SCALAPACK_SETTINGS_H

#include <sectile/sectile_scalapack.h>

#include <stdbool.h>

/* Why a call is passed on. */
typedef enum sct_passing {
    SCT_NOT_PASSED,
    SCT_SWITCHED_OFF,
    SCT_TOO_SMALL,
    SCT_OVERLAPS, /* the result shares elements with an operand */
    SCT_CANNOT,   /* any other failure before the result was touched */
    SCT_PASSINGS
} sct_passing;

/* Whether to pass on a product, or a copy of m x n, for being small. */
sct_passing sct_settings_passing(double m, double n, double k);
sct_passing sct_settings_passing_copy(double m, double n);

/* Returns the time at which a call begins, in seconds on a clock, for sct_tally. For a call that is
 * passed on it returns 0, unless counts are to be printed: reading the clock takes 1 % of the time
 * of the smallest. */
double sct_call_start(sct_passing why);

/* Counts a call that began at `start`, by what became of it. The reason for SCT_CANNOT is that of
 * the last failure. */
void sct_tally(sct_passing why, double start);
/* Counts one with a bad argument. */
void sct_tally_bad(void);

#endif
