/* debug.h - true in debug builds, which make expensive checks of the caller's mistakes. */
#ifndef SCT_BASE_DEBUG_H
#define SCT_BASE_DEBUG_H

#ifdef NDEBUG
enum { SCT_DEBUG = 0 };
#else
enum { SCT_DEBUG = 1 };
#endif

#endif
