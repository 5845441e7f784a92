/* memory.c - allocation for matrices. Lines of a matrix are far apart, so that with small pages the
 * BLAS misses the TLB at each of them. */
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

void *sct_memory_alloc(size_t bytes) {
    static const size_t large_page = 2 << 20;
    bool large = bytes >= 2 * large_page;
    void *memory;
    if (posix_memalign(&memory, large ? large_page : SCT_ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
        return NULL;
    /* failure does no harm */
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void *sct_memory_grow(void *list, int64_t count, int64_t *room, size_t bytes) {
    if (count < *room)
        return list;
    int64_t wanted = 2 * *room + 16;
    void *grown = realloc(list, (size_t)wanted * bytes);
    if (grown)
        *room = wanted;
    return grown;
}
