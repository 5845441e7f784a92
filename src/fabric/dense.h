/* dense.h - blocks that lie one after another in one piece of memory. */
#ifndef SCT_FABRIC_DENSE_H
#define SCT_FABRIC_DENSE_H

#include "fabric/fabric.h"

enum { SCT_DENSE_ALIGNMENT = 64 };

/* The bytes that blocks of these lines and widths take; at least 64. */
SCT_API sct_status sct_dense_bytes(int count, const sct_memory *blocks, size_t *bytes);
/* Fills in their bases, each aligned to 64 bytes as `base` is, and pitches. The bytes must fit. */
SCT_API void sct_dense_place(int count, sct_memory *blocks, char *base);

#endif
