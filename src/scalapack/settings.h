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

/* Whether to pass on a call with this many elementary products, and why. */
sct_passing sct_settings_passing(double products);

/* Seconds on a clock. */
double sct_now(void);

/* Counts a call that began at `start`. The reason for SCT_CANNOT is that of the last failure. */
void sct_tally_served(double start);
void sct_tally_passed_on(sct_passing why, double start);
void sct_tally_bad(void);

#endif
