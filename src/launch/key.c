/* key.c - see key.h. */
#include "launch/key.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Digits ---- */

static const char digits[] = "0123456789abcdef0123456789ABCDEF";

void sct_hex_write(const void *bytes, size_t count, char *text) {
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[from[i] / 16];
        text[2 * i + 1] = digits[from[i] % 16];
    }
    text[2 * count] = '\0';
}

bool sct_hex_read(const char *text, void *bytes, size_t count) {
    unsigned char *to = bytes;
    if (strlen(text) != 2 * count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *high = strchr(digits, text[2 * i]), *low = strchr(digits, text[2 * i + 1]);
        if (!high || !low)
            return false;
        to[i] = (unsigned char)((high - digits) % 16 * 16 + (low - digits) % 16);
    }
    return true;
}

/* ---- Keys ---- */

/* Ranks do not wait for each other so long, unless SECTILE_START_SECONDS says so. */
enum { OLD_S = 24 * 60 * 60 };

static const char folder_name[] = ".sectile";

/* The value is a secret, so that no message shows it. */
sct_status sct_key_given(sct_siphash_key *key, bool *given) {
    const char *text = getenv("SECTILE_KEY");
    *given = text != NULL;
    if (!text || sct_hex_read(text, key, sizeof *key))
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "SECTILE_KEY must be %zu hexadecimal digits, as openssl rand -hex %zu prints "
                    "them",
                    2 * sizeof *key, sizeof *key);
}

sct_status sct_key_draw(sct_siphash_key *key) {
    if (getrandom(key, sizeof *key, 0) == sizeof *key)
        return SCT_OK;
    return sct_fail(SCT_FAILED, "no random numbers for a key: %s", strerror(errno));
}

/* ---- The file ---- */

static sct_status file_failure(const char *what, const char *why) {
    const char *home = getenv("HOME");
    return sct_fail(SCT_FAILED, "the key of the job: %s/%s%s%s: %s; or set SECTILE_KEY",
                    home ? home : "", folder_name, what ? "/" : "", what ? what : "", why);
}

/* The user's own, and nobody else has the rights `denied`. */
static bool is_own(int fd, mode_t kind, mode_t denied) {
    struct stat about;
    return fstat(fd, &about) == 0 && (about.st_mode & S_IFMT) == kind &&
           about.st_uid == geteuid() && (about.st_mode & denied) == 0;
}

/* Opens the folder, and makes it if `make`; otherwise it becomes -1 if rank 0 has not made it yet,
 * but can. */
static sct_status open_folder(bool make, int *folder) {
    const char *home = getenv("HOME");
    char path[PATH_MAX];
    if (!home || home[0] != '/' ||
        snprintf(path, sizeof path, "%s/%s", home, folder_name) >= (int)sizeof path)
        return sct_fail(SCT_FAILED, "the key of the job: HOME is not the path of a folder; set it, "
                                    "or SECTILE_KEY");
    if (make && mkdir(path, S_IRWXU) != 0 && errno != EEXIST)
        return file_failure(NULL, strerror(errno));
    *folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = errno;
    if (*folder < 0 && error == ENOENT && !make && access(home, F_OK) == 0)
        return SCT_OK;
    if (*folder < 0)
        return file_failure(NULL, strerror(error));
    if (is_own(*folder, S_IFDIR, S_IWGRP | S_IWOTH))
        return SCT_OK;
    close(*folder);
    return file_failure(NULL, "must belong to this user, and others must not write to it");
}

sct_status sct_key_check_folder(void) {
    int folder;
    sct_status status = open_folder(false, &folder);
    if (!status && folder >= 0)
        close(folder);
    return status;
}

static bool is_old_key(int folder, const char *name) {
    const char *end = strrchr(name, '.');
    struct stat about;
    return end && strcmp(end, ".key") == 0 &&
           fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
           about.st_mtime < time(NULL) - OLD_S;
}

/* Removes what is left of rank 0s that a signal has ended while they waited. */
static void remove_old(int folder) {
    int copy = dup(folder);
    DIR *names = copy >= 0 ? fdopendir(copy) : NULL;
    for (const struct dirent *at; names && (at = readdir(names)) != NULL;)
        if (is_old_key(folder, at->d_name))
            (void)unlinkat(folder, at->d_name, 0);
    if (names)
        closedir(names);
    else if (copy >= 0)
        close(copy);
}

sct_status sct_key_write(const char *name, sct_siphash_key key) {
    int folder;
    sct_status status = open_folder(true, &folder);
    if (status)
        return status;
    remove_old(folder);
    (void)unlinkat(folder, name, 0);
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = openat(folder, name, flags, S_IRUSR | S_IWUSR);
    bool written = file >= 0 && write(file, &key, sizeof key) == sizeof key;
    if (file >= 0)
        written = close(file) == 0 && written;
    if (!written)
        status = file_failure(name, strerror(errno));
    close(folder);
    return status;
}

sct_status sct_key_read(const char *name, sct_siphash_key *key, bool *found) {
    int folder;
    *found = false;
    sct_status status = open_folder(false, &folder);
    if (status || folder < 0)
        return status;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno != ENOENT)
        status = file_failure(name, strerror(errno));
    else if (file >= 0 && !is_own(file, S_IFREG, S_IRWXG | S_IRWXO))
        status = file_failure(name, "must be a file of this user that others cannot read");
    else
        *found = file >= 0 && read(file, key, sizeof *key) == sizeof *key;
    if (file >= 0)
        close(file);
    close(folder);
    return status;
}

void sct_key_remove(const char *name) {
    int folder;
    if (open_folder(false, &folder) != SCT_OK || folder < 0)
        return;
    (void)unlinkat(folder, name, 0);
    close(folder);
}
