/* map_faults.c - mappings of memory that fail like allocations, where the linker wraps both. */
#include "whole/support/alloc_faults.h"

#include <errno.h>
#include <sys/mman.h>

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
int __real_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice);

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from) {
    return alloc_fails_now() ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, from);
}

int __wrap_madvise(void *memory, size_t bytes, int advice) {
    bool fails = alloc_fails_now();
    int code = __real_madvise(memory, bytes, advice);
    if (fails)
        errno = ENOMEM;
    return fails ? -1 : code;
}
