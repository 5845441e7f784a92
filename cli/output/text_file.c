/* text_file.c - writes a text to an unnamed file first, and copies it when complete. */
#include "output/text_file.h"

#include "output/replacement.h"
#include "output/spool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum code fail(const struct text_file *text_file, int error) {
    report_error("%s: cannot be written: %s", text_file->path, strerror(error));
    return CODE_FAILED;
}

/* The name of a file with links resolved, as far as they can be. The file need not exist. */
static void find_name(const char *path, char name[2 * PATH_MAX]) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    char *real = realpath(path, NULL);
    if (real) {
        snprintf(name, PATH_MAX, "%s", real);
    } else {
        replacement_folder(path, folder);
        real = realpath(folder, NULL);
        snprintf(name, 2 * PATH_MAX, "%s/%s", real ? real : folder, slash ? slash + 1 : path);
    }
    free(real);
}

/* Whether a path, such as /dev/stdout, leads to what is open as a descriptor, which `about`
 * describes.
 */
static bool leads_to(const char *path, int fd, struct stat *about) {
    struct stat opened;
    return stat(path, about) == 0 && fstat(fd, &opened) == 0 && opened.st_dev == about->st_dev &&
           opened.st_ino == about->st_ino;
}

/* Whether the file would be mixed with what this process prints; on a terminal that does no harm.
 */
static bool is_printed_to(const char *path) {
    struct stat about;
    return leads_to(path, STDOUT_FILENO, &about) && !S_ISCHR(about.st_mode);
}

/* All else is written in place, also what errors are printed to. */
static bool is_replaced(const char *path) {
    struct stat about;
    return replacement_possible(path) && !leads_to(path, STDERR_FILENO, &about);
}

/* 0 if the file, or a new one in its folder, could be written; otherwise the errno. */
static int ask(const char *path) {
    char name[2 * PATH_MAX], folder[PATH_MAX];
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && S_ISDIR(about.st_mode))
        return EISDIR;
    find_name(path, name);
    replacement_folder(name, folder);
    bool writable =
        (!exists || access(path, W_OK) == 0) && (!is_replaced(path) || access(folder, W_OK) == 0);
    return writable ? 0 : errno;
}

static enum code fail_spool(const struct text_file *text_file) {
    char why[WHY_BYTES];
    spool_refuse(why, errno);
    report_error("%s: %s", text_file->path, why);
    return CODE_FAILED;
}

/* Where the text is kept until it is complete. */
static enum code open_spool(struct text_file *text_file) {
    int fd = spool_create();
    text_file->out = fd == -1 ? NULL : fdopen(fd, "w+");
    if (text_file->out)
        return CODE_DONE;
    enum code code = fail_spool(text_file);
    if (fd != -1)
        close(fd);
    return code;
}

enum code text_file_open(const char *path, struct text_file *text_file) {
    *text_file = (struct text_file){.path = path};
    if (path && is_printed_to(path)) {
        report_error(
            "%s: cannot be written: it is the standard output, which has the text of the verb",
            path);
        return CODE_FAILED;
    }
    int error = path ? ask(path) : 0;
    if (error != 0)
        return fail(text_file, error);
    return path ? open_spool(text_file) : CODE_DONE;
}

/* Copies all bytes, and closes `to`; returns 0 or an errno. */
static int copy(int from, FILE *to) {
    char bytes[1 << 16];
    ssize_t count;
    bool good = true;
    for (size_t at = 0; good && (count = spool_read(from, bytes, sizeof bytes, at)) != 0;
         at += sizeof bytes)
        good = count > 0 && fwrite(bytes, 1, (size_t)count, to) == (size_t)count;
    int error = good ? 0 : errno;
    return fclose(to) != 0 && error == 0 ? errno : error;
}

/* Writes a file beside the older one, whose place it takes in the end. Returns 0 or an errno. */
static int replace(const struct text_file *text_file) {
    struct replacement file = {.path = ""};
    int fd = replacement_open(&file, text_file->path, false);
    if (fd == -1)
        return errno;
    FILE *to = replacement_set_mode(&file, fd) ? fdopen(fd, "w") : NULL;
    int error = to ? copy(fileno(text_file->out), to) : errno;
    if (!to)
        close(fd);
    return replacement_finish(&file, error == 0) ? error : errno;
}

/* A pipe, for instance. */
static int overwrite(const struct text_file *text_file) {
    FILE *to = fopen(text_file->path, "w");
    return to ? copy(fileno(text_file->out), to) : errno;
}

static enum code store(const struct text_file *text_file) {
    const char *path = text_file->path;
    if (fflush(text_file->out) != 0 || ferror(text_file->out))
        return fail_spool(text_file);
    int error = is_replaced(path) ? replace(text_file) : overwrite(text_file);
    return error == 0 ? CODE_DONE : fail(text_file, error);
}

enum code text_file_close(enum code code, struct text_file *text_file) {
    if (!text_file->out)
        return code;
    if (code == CODE_DONE)
        code = store(text_file);
    fclose(text_file->out);
    text_file->out = NULL;
    return code;
}

bool text_file_same(const char *one, const char *other) {
    char names[2][2 * PATH_MAX];
    if (!one || !other)
        return false;
    find_name(one, names[0]);
    find_name(other, names[1]);
    return strcmp(names[0], names[1]) == 0;
}
