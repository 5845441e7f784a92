/* status.h - how a function says that it failed, and why. */
#ifndef SCT_BASE_STATUS_H
#define SCT_BASE_STATUS_H

#include <sectile/sectile.h>

enum { SCT_REASON_BYTES = 256 };

/* Keeps the reason for the calling thread and returns `status`. */
SCT_API sct_status sct_fail(sct_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* SCT_BAD_ARGUMENT, with a reason that names it, if an argument is NULL. */
SCT_API sct_status sct_check_given(const char *name, const void *argument);

/* Likewise if a struct does not tell its size, or one that is less than `least` or more than
 * `known`. */
sct_status sct_check_size(const char *name, size_t size, size_t least, size_t known);

#endif
