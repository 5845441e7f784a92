/* shared_memory.c - memory by memfd_create, found by others through /proc/PID/fd. */
#include "base/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "sectile"

enum { NO_FILE = -1 };

/* Pages are made on first touch, and a process dies if there is no room. Private memory is refused
 * early if there is obviously not enough. */
static bool there_is_room(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(memory, bytes);
    return true;
}

static void close_file(int file) {
    if (file != NO_FILE)
        close(file);
}

/* Maps the file, which it takes over; without a file, private memory. */
static sct_status map(int file, size_t bytes, bool populate, sct_shared *shared) {
    int kind = file == NO_FILE ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind, file, 0);
    if (memory == MAP_FAILED) {
        close_file(file);
        return sct_fail(SCT_NO_MEMORY, "no memory to map %zu bytes", bytes);
    }
    madvise(memory, bytes, MADV_HUGEPAGE); /* huge pages, where such memory may have them */
    if (populate && madvise(memory, bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
        munmap(memory, bytes);
        close_file(file);
        return sct_fail(SCT_NO_MEMORY, "no memory for %zu bytes", bytes);
    }
    *shared = (sct_shared){memory, bytes, file};
    return SCT_OK;
}

sct_status sct_shared_private(size_t bytes, sct_shared *shared) {
    return map(NO_FILE, bytes, true, shared);
}

/* Such memory counts as a file; exceeding the file size limit would end the process. */
static sct_status check_limit(size_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        bytes <= limit.rlim_cur)
        return SCT_OK;
    return sct_fail(
        SCT_FAILED,
        "shared memory: the limit on the size of files is %llu bytes, and %zu are needed",
        (unsigned long long)limit.rlim_cur, bytes);
}

sct_status sct_shared_create(size_t bytes, bool populate, sct_shared *shared) {
    sct_status status = check_limit(bytes);
    if (status != SCT_OK)
        return status;
    if (!there_is_room(bytes))
        return sct_fail(SCT_NO_MEMORY, "no memory for %zu bytes", bytes);
    int file = memfd_create(NAME, MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        int error = errno;
        close_file(file);
        return sct_fail(SCT_FAILED, "shared memory: %s", strerror(error));
    }
    return map(file, bytes, populate, shared);
}

/* In another container, the process number and file may be somebody else's. */
static bool is_ours(const char *path, int file, size_t bytes) {
    static const char ours[] = "/memfd:" NAME;
    char target[sizeof ours];
    struct stat about;
    return readlink(path, target, sizeof target) >= (ssize_t)sizeof ours - 1 &&
           memcmp(target, ours, sizeof ours - 1) == 0 && fstat(file, &about) == 0 &&
           about.st_size >= 0 && (size_t)about.st_size >= bytes;
}

sct_status sct_shared_open(pid_t owner, int file, size_t bytes, bool populate, sct_shared *shared) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)owner, file);
    int opened = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (opened >= 0 && !is_ours(path, opened, bytes)) {
        close(opened);
        return sct_fail(SCT_FAILED, "process %ld does not share memory", (long)owner);
    }
    if (opened < 0)
        return sct_fail(SCT_FAILED, "shared memory of process %ld: %s", (long)owner,
                        strerror(errno));
    sct_status status = map(opened, bytes, populate, shared);
    if (status == SCT_OK)
        sct_shared_withdraw(shared);
    return status;
}

void sct_shared_withdraw(sct_shared *shared) {
    if (shared->memory)
        close_file(shared->file);
    shared->file = NO_FILE;
}

void sct_shared_close(sct_shared *shared) {
    sct_shared_withdraw(shared);
    if (shared->memory)
        munmap(shared->memory, shared->bytes);
    shared->memory = NULL;
}
