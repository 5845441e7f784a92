/* status.h - how functions fail: a status, and a reason for the calling thread. */
#ifndef SCT_BASE_STATUS_H
#define SCT_BASE_STATUS_H

#include <sectile/sectile.h>

enum { SCT_REASON_BYTES = 256 };

/* Stores the reason for the calling thread, as one line of printable characters, and returns
 * `status`. */
SCT_API sct_status sct_fail(sct_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with SCT_NO_MEMORY; `what` the memory was for, such as "a layout". */
SCT_API sct_status sct_no_memory(const char *what);

/* Fails with SCT_BAD_ARGUMENT and a reason that names the argument if it is NULL. */
SCT_API sct_status sct_check_given(const char *name, const void *argument);
/* The same of an argument that points to where a result goes. */
SCT_API sct_status sct_check_output(const char *name, const void *pointer);

/* Fails likewise if a struct's size field is less than `least` or more than `known`. */
sct_status sct_check_size(const char *name, size_t size, size_t least, size_t known);

#endif
