/* memory.c - allocation functions that fail on request. */
#include "faults/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the C library itself. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static bool is_short(const char *call, const void *caller) {
    bool due = fault_due("memory", call, caller);
    if (due)
        errno = ENOMEM;
    return due;
}

void *malloc(size_t bytes) {
    return is_short("malloc", __builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return is_short("calloc", __builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    return is_short("realloc", __builtin_return_address(0)) ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return is_short("aligned_alloc", __builtin_return_address(0))
               ? NULL
               : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    void *got = is_short("posix_memalign", __builtin_return_address(0))
                    ? NULL
                    : __libc_memalign(alignment, bytes);
    if (!got)
        return ENOMEM;
    *memory = got;
    return 0;
}

char *strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy =
        is_short("strdup", __builtin_return_address(0)) ? NULL : (char *)__libc_malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

char *strndup(const char *text, size_t most) {
    size_t bytes = strnlen(text, most);
    char *copy =
        is_short("strndup", __builtin_return_address(0)) ? NULL : (char *)__libc_malloc(bytes + 1);
    if (copy)
        *(char *)mempcpy(copy, text, bytes) = '\0';
    return copy;
}
