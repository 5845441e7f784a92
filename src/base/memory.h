/* memory.h - memory for numbers, and for lists that grow. */
#ifndef SCT_BASE_MEMORY_H
#define SCT_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum { SCT_ALIGNMENT = 64 };

/* Aligned to SCT_ALIGNMENT; what is large, in large pages if there are any. NULL if there is no
 * memory. Freed by free(). */
void *sct_memory_alloc(size_t bytes);

/* A list of `count` things of so many bytes, with room for one more: the same, or a longer one in
 * its place. NULL, and the list stays as it is, if there is no memory. */
void *sct_memory_grow(void *list, int64_t count, int64_t *room, size_t bytes);

#endif
