/* dense.c - places blocks one after another, with checks for overflow. */
#include "fabric/dense.h"

#include "base/checked.h"

#include <assert.h>

/* The bytes of a block up to the start of the next. */
static bool block_bytes(const sct_memory *block, int64_t *bytes) {
    assert(block->lines >= 0);
    int64_t padded;
    if (block->lines == 0) {
        *bytes = 0; /* however wide */
        return true;
    }
    if (block->width > INT64_MAX ||
        !sct_multiply_fits(block->lines, (int64_t)block->width, &padded) ||
        !sct_add_fits(padded, SCT_DENSE_ALIGNMENT - 1, &padded))
        return false;
    *bytes = padded / SCT_DENSE_ALIGNMENT * SCT_DENSE_ALIGNMENT;
    return true;
}

sct_status sct_dense_bytes(int count, const sct_memory *blocks, size_t *bytes) {
    /* never nothing, so that every base is a valid pointer */
    int64_t total = SCT_DENSE_ALIGNMENT, more;
    for (int i = 0; i < count; i++) {
        if (!block_bytes(&blocks[i], &more) || !sct_add_fits(total, more, &total))
            return sct_fail(SCT_TOO_LARGE, "the size of block %d does not fit in 64 bits", i);
    }
    *bytes = (size_t)total;
    return SCT_OK;
}

void sct_dense_place(int count, sct_memory *blocks, char *base) {
    int64_t bytes = 0;
    for (int i = 0; i < count; i++) {
        blocks[i].base = base;
        blocks[i].pitch = blocks[i].width;
        block_bytes(&blocks[i], &bytes);
        base += bytes;
    }
}
