/* library.h - libraries of Sectile that are loaded when they are needed. */
#ifndef SCT_BASE_LIBRARY_H
#define SCT_BASE_LIBRARY_H

#include <sectile/sectile.h>

/* Loads a library that lies beside this one, or else where the system looks for libraries. It stays
 * loaded. NULL: dlerror() says why not. */
SCT_API void *sct_library_open(const char *file);

#endif
