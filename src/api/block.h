/* block.h - a block of the caller as it is stored: its lines, and the elements of each. */
#ifndef SCT_API_BLOCK_H
#define SCT_API_BLOCK_H

#include <sectile/sectile.h>

static inline int64_t sct_block_lines(const sct_block *block) {
    return block->order == SCT_ROW_MAJOR ? block->rows : block->cols;
}

static inline int64_t sct_block_length(const sct_block *block) {
    return block->order == SCT_ROW_MAJOR ? block->cols : block->rows;
}

/* Fails unless its leading dimension suffices, and the size of it all can be calculated. `name`
 * appears in the reason. */
sct_status sct_block_check_ld(const char *name, sct_type type, const sct_block *block);

/* Fails if it has elements, but no memory. */
sct_status sct_block_check_memory(const char *name, const sct_block *block);

#endif
