/* block.c - see block.h. */
#include "api/block.h"

#include "base/checked.h"
#include "base/status.h"

sct_status sct_block_check_ld(const char *name, sct_type type, const sct_block *block) {
    int64_t bytes = (int64_t)sct_type_bytes(type), lines = sct_max(sct_block_lines(block), 1);
    long long ld = block->ld, length = sct_block_length(block), most = INT64_MAX / bytes / lines;
    if (ld >= length && ld <= most)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: a leading dimension of %lld is %s than %lld", name, ld,
                    ld < length ? "less" : "more", ld < length ? length : most);
}

sct_status sct_block_check_memory(const char *name, const sct_block *block) {
    if (block->data || block->rows == 0 || block->cols == 0)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "%s: the memory of %lld x %lld elements is NULL", name,
                    (long long)block->rows, (long long)block->cols);
}
