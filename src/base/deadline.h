/* patience.h - how long a rank waits for the others while a world starts. */
#ifndef SCT_BASE_PATIENCE_H
#define SCT_BASE_PATIENCE_H

#include "base/status.h"

#include <stdint.h>

/* Its limit is in the environment, as SECTILE_START_SECONDS; 0: none. */
enum { SCT_START_SECONDS = 3600 };

typedef struct sct_patience {
    int seconds;
    int64_t end_ms;
} sct_patience;

/* Fails if SECTILE_START_SECONDS is set to anything but a whole number of seconds. */
sct_status sct_patience_check(void);
/* Starts the limit of the environment; the default one if that is invalid, since the rank still
 * has to tell the others of it. */
SCT_API sct_patience sct_patience_begin(void);
/* The same with another limit; 0: none. */
sct_patience sct_patience_for(int seconds);
/* The milliseconds that are left, 0 at the end; -1: there is no end. */
SCT_API int sct_patience_left_ms(const sct_patience *patience);
/* The failure of a rank whose patience has ended. */
SCT_API sct_status sct_patience_failure(const sct_patience *patience);

#endif
