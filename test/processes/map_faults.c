/* map_faults.c - mappings of memory that fail like allocations, where the linker wraps both. */
#include "processes/map_faults.h"

#include "whole/support/alloc_faults.h"

#include <errno.h>
#include <sys/mman.h>

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from);
int __real_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice);

_Thread_local int map_countdown;

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from) {
    bool due = map_countdown > 0 && --map_countdown == 0;
    bool fails = alloc_fails_now() || due;
    return fails ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, from);
}

int __wrap_madvise(void *memory, size_t bytes, int advice) {
    bool fails = alloc_fails_now();
    int code = __real_madvise(memory, bytes, advice);
    if (fails)
        errno = ENOMEM;
    return fails ? -1 : code;
}
