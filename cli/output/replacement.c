/* replacement.c - see replacement.h. */
#include "output/replacement.h"

#include "output/cleanup_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool replacement_possible(const char *path) {
    char name[PATH_MAX];
    struct stat about;
    return stat(path, &about) != 0 || (realpath(path, name) && S_ISREG(about.st_mode));
}

void replacement_folder(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + (slash == path) : 1;
    snprintf(folder, PATH_MAX, "%.*s", length, slash ? path : ".");
}

/* False: a name is too long. */
static bool choose_names(struct replacement *file, const char *path) {
    if (!realpath(path, file->path))
        snprintf(file->path, sizeof file->path, "%s", path);
    const char *slash = strrchr(file->path, '/');
    const char *name = slash ? slash + 1 : file->path;
    int length = snprintf(file->temporary, sizeof file->temporary, "%.*s.%.200s.XXXXXX",
                          (int)(name - file->path), file->path, name);
    return strlen(path) < sizeof file->path && length < (int)sizeof file->temporary;
}

/* What the old group might do is not for another one, and what is written is no program that runs
 * as its owner. Temporary files are created for the owner only. */
bool replacement_set_mode(const struct replacement *file, int fd) {
    struct stat about;
    if (stat(file->path, &about) == 0) {
        bool same_group =
            fchown(fd, about.st_uid, about.st_gid) == 0 || fchown(fd, (uid_t)-1, about.st_gid) == 0;
        return fchmod(fd, about.st_mode & (same_group ? 0777 : 0707)) == 0;
    }
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

/* Replaces the six characters at the end by random letters and digits. */
static bool draw_name(char *path) {
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char drawn[6];
    char *end = path + strlen(path) - sizeof drawn;
    if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
        return false;
    for (size_t i = 0; i < sizeof drawn; i++)
        end[i] = signs[drawn[i] % (sizeof signs - 1)];
    return true;
}

static int make_temporary(const struct replacement *file) {
    cleanup_signal_hold(true);
    int fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd != -1)
        cleanup_signal_remove(file->temporary);
    cleanup_signal_hold(false);
    return fd;
}

/* Starts the cleanup process before the file exists, so that it covers any end of this process. */
int replacement_open(struct replacement *file, const char *path, bool guarded) {
    enum { TRIES = 100 };
    int fd = -1, error = choose_names(file, path) ? EEXIST : ENAMETOOLONG;
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        if (!draw_name(file->temporary) ||
            (guarded && !cleanup_process_start(file->temporary, &file->cleaner)))
            return -1;
        fd = make_temporary(file);
        error = fd == -1 ? errno : 0;
        if (fd == -1)
            cleanup_process_stop(&file->cleaner);
    }
    errno = error;
    return fd;
}

bool replacement_finish(struct replacement *file, bool complete) {
    cleanup_signal_hold(true);
    bool named = complete && rename(file->temporary, file->path) == 0;
    int error = errno;
    if (!named)
        unlink(file->temporary);
    cleanup_signal_remove("");
    cleanup_signal_hold(false);
    cleanup_process_stop(&file->cleaner);
    errno = error;
    return named || !complete;
}
