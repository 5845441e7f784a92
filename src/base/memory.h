/* memory.h - memory for numbers. */
#ifndef SCT_BASE_MEMORY_H
#define SCT_BASE_MEMORY_H

#include <stddef.h>

enum { SCT_ALIGNMENT = 64 };

/* Aligned to SCT_ALIGNMENT; what is large, in large pages if there are any. NULL if there is no
 * memory. Freed by free(). */
void *sct_memory_alloc(size_t bytes);

#endif
