/* memory.h - memory for matrices, and for lists that grow; and whether memory of the caller can be
 * read. */
#ifndef SCT_BASE_MEMORY_H
#define SCT_BASE_MEMORY_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCT_ALIGNMENT = 64 };

/* Allocates memory aligned to SCT_ALIGNMENT, large blocks in huge pages if possible. NULL: out of
 * memory. Release it with free(). */
SCT_API void *sct_memory_alloc(size_t bytes);

/* Has memory that is in use moved to huge pages, as far as it fills them, if the system can do
 * that. It takes some 0.25 ms for each MB. */
void sct_memory_join_pages(const void *memory, size_t bytes);

/* Makes room for one more item in a list of `count`: returns the list or a longer one in its place.
 * NULL: out of memory; the list is unchanged. */
SCT_API void *sct_memory_grow(void *list, int64_t count, int64_t *room, size_t bytes);

/* Returns whether the host can read the first and the last of `bytes` bytes; `bytes` is at least 1.
 */
bool sct_memory_is_mapped(const void *memory, size_t bytes);

#endif
