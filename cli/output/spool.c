/* spool.c - unnamed temporary files. */
#include "output/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *spool_folder(void) {
    const char *folder = getenv("TMPDIR");
    return folder && folder[0] != '\0' ? folder : "/tmp";
}

/* Where a file system has no unnamed files, one that loses its name at once. */
static int create_named(const char *folder) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/sectile.XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd != -1)
        unlink(path);
    return fd;
}

int spool_create(void) {
    const char *folder = spool_folder();
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd == -1 && (errno == EOPNOTSUPP || errno == EISDIR) ? create_named(folder) : fd;
}

bool spool_refuse(char why[WHY_BYTES], int error) {
    return refuse(why, "it cannot be kept in a temporary file in %.200s: %s", spool_folder(),
                  strerror(error));
}

bool spool_has_room(int fd, size_t bytes) {
    struct statvfs about;
    return fstatvfs(fd, &about) != 0 || about.f_blocks == 0 ||
           bytes / about.f_frsize <= about.f_bavail;
}

ssize_t spool_read(int fd, void *to, size_t bytes, size_t at) {
    size_t length = 0;
    while (length < bytes) {
        ssize_t got = pread(fd, (char *)to + length, bytes - length, (off_t)(at + length));
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)length;
}

/* Whether a call that has just failed is to be made again: after a signal at once; and of a pipe
 * that some program has set not to block, when it has bytes, or room for more. */
static bool is_worth_another(int fd, short event) {
    struct pollfd watched = {.fd = fd, .events = event};
    if (errno == EAGAIN)
        return poll(&watched, 1, -1) > 0 || errno == EINTR;
    return errno == EINTR;
}

bool spool_write(int fd, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t put = write(fd, at, bytes);
        if (put < 0 && !is_worth_another(fd, POLLOUT))
            return false;
        at += put > 0 ? put : 0;
        bytes -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

int64_t spool_copy(int from, int to, size_t most, void (*copied)(void *context, int64_t bytes),
                   void *context) {
    char bytes[1 << 16];
    int64_t all = 0;
    while ((size_t)all < most) {
        size_t left = most - (size_t)all;
        ssize_t got = read(from, bytes, left < sizeof bytes ? left : sizeof bytes);
        if (got == 0)
            break;
        if (got < 0 && !is_worth_another(from, POLLIN))
            return -1;
        if (got > 0 && !spool_write(to, bytes, (size_t)got))
            return -1;
        if (got > 0 && copied)
            copied(context, got);
        all += got > 0 ? got : 0;
    }
    return all;
}
