/* dense.h - the addresses of the blocks of a segment that lie one after another in one allocation.
 */
#ifndef SCT_FABRIC_DENSE_H
#define SCT_FABRIC_DENSE_H

#include "fabric/fabric.h"

enum { SCT_DENSE_ALIGNMENT = 64 };

/* The bytes for blocks with these lines and widths; at least 64. */
SCT_API sct_status sct_dense_bytes(int count, const sct_memory *blocks, size_t *bytes);
/* Sets their bases, each aligned to 64 bytes like `base`, and pitches. Sizes must have been
 * checked. */
SCT_API void sct_dense_place(int count, sct_memory *blocks, char *base);

#endif
