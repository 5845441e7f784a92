/* debug.h - whether this is a debug build, which looks for mistakes of the caller that cost time to
 * find. */
#ifndef SCT_BASE_DEBUG_H
#define SCT_BASE_DEBUG_H

#ifdef NDEBUG
enum { SCT_DEBUG = 0 };
#else
enum { SCT_DEBUG = 1 };
#endif

#endif
