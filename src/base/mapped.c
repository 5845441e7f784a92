/* mapped.c - tests whether memory can be read, by a system call that copies it. Unlike a load, that
 * fails without ending the program. */
#include "base/mapped.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

bool sct_memory_is_mapped(const void *memory, size_t bytes) {
    char ends[2];
    struct iovec to = {ends, sizeof ends};
    struct iovec from[2] = {{(char *)memory, 1}, {(char *)memory + bytes - 1, 1}};
    /* some systems refuse this question */
    ssize_t copied = process_vm_readv(getpid(), &to, 1, from, 2, 0);
    return copied == (ssize_t)sizeof ends || (copied < 0 && errno != EFAULT);
}
