/* text_file.c - writes a text to an unnamed file first, and copies it when complete. */
#include "print/text_file.h"

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

/* The folder of a path, cut short if that is longer than any path may be. */
static void find_folder(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + (slash == path) : 1;
    snprintf(folder, PATH_MAX, "%.*s", length, slash ? path : ".");
}

/* 0 if the file, or a new file in its folder, could be written; otherwise the errno. */
static int ask(const char *path) {
    char folder[PATH_MAX];
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT)
        return errno;
    if (exists && S_ISDIR(about.st_mode))
        return EISDIR;
    find_folder(path, folder);
    return access(exists ? path : folder, W_OK) == 0 ? 0 : errno;
}

enum code text_file_open(const char *path, struct text_file *text_file) {
    *text_file = (struct text_file){.path = path};
    int error = path ? ask(path) : 0;
    if (error != 0)
        return fail(text_file, error);
    if (path && !(text_file->out = tmpfile()))
        return fail(text_file, errno);
    return CODE_DONE;
}

/* The name of a file with links resolved, as far as they can be. The file need not exist. */
static void find_name(const char *path, char name[2 * PATH_MAX]) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    char *real = realpath(path, NULL);
    if (real) {
        snprintf(name, PATH_MAX, "%s", real);
    } else {
        find_folder(path, folder);
        real = realpath(folder, NULL);
        snprintf(name, 2 * PATH_MAX, "%s/%s", real ? real : folder, slash ? slash + 1 : path);
    }
    free(real);
}

/* Removes a file that could not be written completely. */
static void remove_part(const char *path) {
    struct stat about;
    char name[2 * PATH_MAX];
    find_name(path, name);
    if (stat(name, &about) == 0 && S_ISREG(about.st_mode))
        unlink(name);
}

/* Copies all bytes; returns 0 or an errno. */
static int copy(FILE *from, FILE *to) {
    char bytes[1 << 16];
    size_t count;
    rewind(from);
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) < count)
            return errno;
    return ferror(from) ? EIO : 0;
}

static enum code store(const struct text_file *text_file) {
    if (fflush(text_file->out) != 0 || ferror(text_file->out))
        return fail(text_file, errno);
    FILE *to = fopen(text_file->path, "w");
    if (!to)
        return fail(text_file, errno);
    int error = copy(text_file->out, to);
    if (fclose(to) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return CODE_DONE;
    remove_part(text_file->path);
    return fail(text_file, error);
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
