/* status.h - how a function says that it failed, and why. */
#ifndef SCT_BASE_STATUS_H
#define SCT_BASE_STATUS_H

#include <sectile/sectile.h>

enum { SCT_REASON_BYTES = 256 };

/* Keeps the reason for the calling thread and returns `status`. */
sct_status sct_fail(sct_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
