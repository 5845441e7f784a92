/* text_file.c - collects a text in a file without a name, and copies it when it is complete. */
#include "print/text_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum code fail(const struct sheet *sheet, int error) {
    report_error("%s: cannot be written: %s", sheet->path, strerror(error));
    return CODE_FAILED;
}

/* 0, or the errno with which the folder that the file would be made in refuses it. */
static int ask_folder(const char *path) {
    char folder[PATH_MAX]; /* longer ones have been refused for that */
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + (slash == path) : 1;
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    return access(folder, W_OK) == 0 ? 0 : errno;
}

static int ask(const char *path) {
    struct stat about;
    if (stat(path, &about) == -1)
        return errno == ENOENT ? ask_folder(path) : errno;
    if (S_ISDIR(about.st_mode))
        return EISDIR;
    return access(path, W_OK) == 0 ? 0 : errno;
}

enum code sheet_open(const char *path, struct sheet *sheet) {
    *sheet = (struct sheet){.path = path};
    int error = path ? ask(path) : 0;
    if (error != 0)
        return fail(sheet, error);
    if (path && !(sheet->out = tmpfile()))
        return fail(sheet, errno);
    return CODE_DONE;
}

/* The name behind links, also of what is not there yet; "" if there is none. */
static void find_name(const char *path, char name[2 * 4096]) {
    char folder[4096], *real;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + (slash == path) : 1;
    if ((real = realpath(path, NULL))) {
        snprintf(name, 4096, "%s", real);
    } else {
        snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
        real = realpath(folder, NULL);
        snprintf(name, 2 * 4096, "%s/%s", real ? real : folder, slash ? slash + 1 : path);
    }
    free(real);
}

/* What has become of a file that could not be written to its end. */
static void remove_part(const char *path) {
    struct stat about;
    char name[2 * 4096];
    find_name(path, name);
    if (stat(name, &about) == 0 && S_ISREG(about.st_mode))
        unlink(name);
}

/* Returns 0 or an errno. */
static int copy(FILE *from, FILE *to) {
    char bytes[1 << 16];
    size_t count;
    rewind(from);
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) < count)
            return errno;
    return ferror(from) ? EIO : 0;
}

static enum code store(const struct sheet *sheet) {
    if (fflush(sheet->out) != 0 || ferror(sheet->out))
        return fail(sheet, errno);
    FILE *to = fopen(sheet->path, "w");
    if (!to)
        return fail(sheet, errno);
    int error = copy(sheet->out, to);
    if (fclose(to) != 0 && error == 0)
        error = errno;
    if (error == 0)
        return CODE_DONE;
    remove_part(sheet->path);
    return fail(sheet, error);
}

enum code sheet_close(enum code code, struct sheet *sheet) {
    if (!sheet->out)
        return code;
    if (code == CODE_DONE)
        code = store(sheet);
    fclose(sheet->out);
    sheet->out = NULL;
    return code;
}

bool sheet_same(const char *one, const char *other) {
    char names[2][2 * 4096];
    if (!one || !other)
        return false;
    find_name(one, names[0]);
    find_name(other, names[1]);
    return strcmp(names[0], names[1]) == 0;
}
