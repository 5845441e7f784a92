/* memory.c - allocation for matrices. Lines of a matrix are far apart, so that with small pages the
 * BLAS misses the TLB at each of them. */
#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20, COLLAPSE = 25 /* MADV_COLLAPSE of Linux 6.1 */ };

void *sct_memory_alloc(size_t bytes) {
    bool large = bytes >= 2 * HUGE_PAGE;
    void *memory;
    if (posix_memalign(&memory, large ? HUGE_PAGE : SCT_ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
        return NULL;
    /* failure does no harm */
    if (large)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void sct_memory_join_pages(const void *memory, size_t bytes) {
    uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (first < end)
        madvise((void *)first, end - first, COLLAPSE);
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

/* A system call copies the bytes: unlike a load, it fails without ending the program. */
bool sct_memory_is_mapped(const void *memory, size_t bytes) {
    char ends[2];
    struct iovec to = {ends, sizeof ends};
    struct iovec from[2] = {{(char *)memory, 1}, {(char *)memory + bytes - 1, 1}};
    /* some systems refuse this question */
    ssize_t copied = process_vm_readv(getpid(), &to, 1, from, 2, 0);
    return copied == (ssize_t)sizeof ends || (copied < 0 && errno != EFAULT);
}
