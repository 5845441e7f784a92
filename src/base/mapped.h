/* mapped.h - finds whether the host can read memory. */
#ifndef SCT_BASE_MAPPED_H
#define SCT_BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the host can read the first and the last of `bytes` bytes; `bytes` is at least 1.
 */
bool sct_memory_is_mapped(const void *memory, size_t bytes);

#endif
