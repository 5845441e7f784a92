/* block_fill.h - sets the elements of a block, on several threads. */
#ifndef CLI_VALUES_BLOCK_FILL_H
#define CLI_VALUES_BLOCK_FILL_H

#include "values/element.h"

/* Element (row, col) of the matrix. Several threads call it at once. */
typedef struct number block_fill_value(const void *context, int64_t row, int64_t col);

/* Sets all elements of the block, which has these bounds in its matrix. Uses at most `threads`
 * threads, which is at least 1; fewer for a small block, or if the system has no more. */
void block_fill(sct_type type, const sct_slice *bounds, const sct_block *block, int threads,
                block_fill_value *value, const void *context);

#endif
