/* mapped.h - tells whether the host can read memory. */
#ifndef SCT_BASE_MAPPED_H
#define SCT_BASE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>

/* False if the host cannot read the first or the last of these bytes, of which there is at least
 * one. */
bool sct_memory_is_mapped(const void *memory, size_t bytes);

#endif
