/* sectile_log.h - a log of what the library does: versions, paths to other ranks, plans, and
 * fallbacks with their reasons. sectile.h includes this file. docs/model.md has an example. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_LOG_H
#define SECTILE_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/* How much is logged; each level includes those before it. INFO: rank 0 logs the versions in use,
 * the path to other ranks, each new plan, and what is not done as asked, with the reason. DEBUG:
 * all ranks do, and log calls that reuse a plan, and how each segment of memory is reached. */
typedef enum sct_log_level {
    SCT_LOG_OFF,
    SCT_LOG_WARNING, /* a mistake that is likely, such as ranks that do not find each other */
    SCT_LOG_INFO,
    SCT_LOG_DEBUG
} sct_log_level;

/* Gets a message: its level, the rank that it is of (-1: of none), and one line of printable
 * characters, without an end of line. Threads of ranks call it, one at a time. It may not call the
 * library. */
typedef void sct_log_function(void *context, sct_log_level level, int rank, const char *text);

/* Sends the messages of this process that are of `level` or of a level before it to a function; if
 * that is NULL, they are lines on stderr. Until the first call these are warnings alone. Errors:
 * SCT_BAD_ARGUMENT for an unknown level. Not collective. */
SCT_API sct_status sct_log(sct_log_level level, sct_log_function *function, void *context);
/* Sends messages to stderr, of the level that the variable SECTILE_LOG names: off, warning, info or
 * debug. Without the variable it changes nothing. Errors: SCT_BAD_ARGUMENT if it has another value.
 * Not collective. */
SCT_API sct_status sct_log_from_environment(void);

#ifdef __cplusplus
}
#endif

#endif
