/* log.h - writes the messages that sct_log sends on. With the log off a message costs the reading
 * of one number; what takes time to compose is composed only if sct_log_wants it. */
#ifndef SCT_BASE_LOG_H
#define SCT_BASE_LOG_H

#include <sectile/sectile.h>
#include <stdbool.h>

enum { SCT_LOG_BYTES = 1024 };

/* Whether messages of this level are wanted of a rank (-1: of none). Only at SCT_LOG_DEBUG do other
 * ranks than 0 log anything but warnings. */
SCT_API bool sct_log_wants(sct_log_level level, int rank);
/* Writes a message, if it is wanted. sct_last_reason may be an argument, and stays. */
SCT_API void sct_log_write(sct_log_level level, int rank, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
