/* matrix_file.c - writes .npy files: a file gets its name only when complete. */
#include "files/matrix_file.h"

#include "files/cleanup_signal.h"
#include "files/piecewise.h"
#include "files/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

bool output_is_standard(const struct output *output) {
    return is_standard(output->asked);
}

static enum code fail_output(const struct output *output, int error) {
    report_error("%s: cannot be written: %s", output->name, strerror(error));
    return CODE_FAILED;
}

/* Chooses the final name, with links resolved, and a temporary one beside it. What a name in /proc
 * leads to, as /dev/stdout does, may be a file without a name, which nothing can replace. */
static enum code choose_names(struct output *output) {
    const char *path = output->asked;
    struct stat about;
    bool exists = stat(path, &about) == 0, named = realpath(path, output->path) != NULL;
    if (exists && !(named && S_ISREG(about.st_mode))) {
        report_error("%s: cannot be written: it is not a regular file", path);
        return CODE_FAILED;
    }
    if (!named)
        snprintf(output->path, sizeof output->path, "%s", path);
    const char *slash = strrchr(output->path, '/');
    const char *name = slash ? slash + 1 : output->path;
    int length = snprintf(output->temporary, sizeof output->temporary, "%.*s.%.200s.XXXXXX",
                          (int)(name - output->path), output->path, name);
    bool fits = strlen(path) < sizeof output->path && length < (int)sizeof output->temporary;
    return fits ? CODE_DONE : fail_output(output, ENAMETOOLONG);
}

/* Sets the owner, group and mode of the replaced file, as far as allowed, or the default mode:
 * temporary files are created for the owner only. What the old group might do is not for another
 * one, and a matrix is no program that runs as its owner. */
static int set_mode(int fd, const char *replaced) {
    struct stat about;
    if (stat(replaced, &about) == 0) {
        bool same_group =
            fchown(fd, about.st_uid, about.st_gid) == 0 || fchown(fd, (uid_t)-1, about.st_gid) == 0;
        return fchmod(fd, about.st_mode & (same_group ? 0777 : 0707));
    }
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask);
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

/* Creates the temporary file, which is removed if a signal ends the program. */
static int make_temporary(struct output *output) {
    cleanup_signal_hold(true);
    int fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd != -1)
        cleanup_signal_remove(output->temporary);
    cleanup_signal_hold(false);
    return fd;
}

/* Starts the cleanup process before the file exists, so that it covers any end of this process. */
static int open_temporary(const struct rank_group *group, struct output *output) {
    enum { TRIES = 100 };
    int fd = -1, error = EEXIST;
    for (int i = 0; i < TRIES && error == EEXIST; i++) {
        if (!draw_name(output->temporary) ||
            (group->by_processes && !cleanup_process_start(output->temporary, &output->cleaner)))
            return -1;
        fd = make_temporary(output);
        error = fd == -1 ? errno : 0;
        if (fd == -1)
            cleanup_process_stop(&output->cleaner);
    }
    errno = error;
    return fd;
}

/* Allocates all of the file on the disk, so that a full one is found early, and writes the header.
 */
static enum code fill_file(struct output *output, const unsigned char *header) {
    size_t bytes = output->header.offset;
    if (output->path[0] != '\0' && set_mode(output->fd, output->path) == -1)
        return fail_output(output, errno);
    int error = posix_fallocate(output->fd, 0, (off_t)output->size);
    if (error != 0)
        return fail_output(output, error);
    return pwrite(output->fd, header, bytes, 0) == (ssize_t)bytes ? CODE_DONE
                                                                  : fail_output(output, errno);
}

/* A file without a name, which is copied to the standard output when complete. */
static enum code make_spool(const struct rank_group *group, const unsigned char *header,
                            struct output *output) {
    if (group->processes > 1) {
        report_error("-o - needs ranks that are threads of one process");
        return CODE_USAGE;
    }
    output->fd = spool_create();
    return output->fd == -1 ? fail_output(output, errno) : fill_file(output, header);
}

/* Creates the file, on rank 0. */
static enum code make_file(struct rank_group *group, const unsigned char *header,
                           struct output *output) {
    if (output_is_standard(output))
        return make_spool(group, header, output);
    enum code code = choose_names(output);
    if (code != CODE_DONE)
        return code;
    output->fd = open_temporary(group, output);
    if (output->fd == -1)
        return fail_output(output, errno);
    return fill_file(output, header);
}

/* Opens the file on the other processes, once rank 0 has created it. */
static enum code share_file(struct rank_group *group, enum code code, struct output *output) {
    code = rank_group_spread(group, code, output->temporary, sizeof output->temporary);
    if (code != CODE_DONE || rank_group_leads(group))
        return code;
    output->fd = open(output->temporary, O_WRONLY | O_CLOEXEC);
    return output->fd != -1 ? CODE_DONE : fail_output(output, errno);
}

enum code output_check_apart(const char *path, const struct input *inputs, int count) {
    struct stat output;
    if (is_standard(path) || stat(path, &output) == -1)
        return CODE_DONE; /* a new file */
    for (int i = 0; i < count; i++) {
        if (inputs[i].device != output.st_dev || inputs[i].inode != output.st_ino)
            continue;
        report_error("-o %s would replace the input %s; --force allows that", path, inputs[i].path);
        return CODE_USAGE;
    }
    return CODE_DONE;
}

enum code output_create(struct rank_group *group, enum code code, const char *path, sct_type type,
                        const sct_layout *layout, struct output *output) {
    unsigned char header[NPY_HEADER_BYTES];
    *output = (struct output){
        .asked = path, .name = is_standard(path) ? "standard output" : path, .fd = -1};
    if (code == CODE_DONE) {
        output->header = (struct npy_header){.type = type,
                                             .order = sct_layout_order(layout),
                                             .rows = sct_layout_rows(layout),
                                             .cols = sct_layout_cols(layout)};
        output->size = npy_format(&output->header, header);
        if (output->size == 0)
            code = fail_output(output, EFBIG);
    }
    if (code == CODE_DONE && rank_group_leads(group))
        code = make_file(group, header, output);
    code = rank_group_agree(group, share_file(group, code, output));
    return code == CODE_DONE ? code : output_finish(group, code, output);
}

sct_status output_write(struct worker *worker, const struct output *output, sct_matrix *from) {
    const struct stored stored = {output->name, output->fd, &output->header};
    return piecewise_write(worker, &stored, from);
}

/* Gives the file its final name on success; removes it otherwise. */
static enum code name_file(enum code code, struct output *output) {
    cleanup_signal_hold(true);
    if (code == CODE_DONE && rename(output->temporary, output->path) == -1)
        code = fail_output(output, errno);
    if (code != CODE_DONE)
        unlink(output->temporary);
    cleanup_signal_remove("");
    cleanup_signal_hold(false);
    cleanup_process_stop(&output->cleaner);
    return code;
}

/* Makes sure that the file is on the disk, or in the standard output. */
static enum code complete(const struct output *output) {
    bool done = !output_is_standard(output)
                    ? fsync(output->fd) == 0
                    : lseek(output->fd, 0, SEEK_SET) == 0 && spool_copy(output->fd, STDOUT_FILENO);
    return done ? CODE_DONE : fail_output(output, errno);
}

enum code output_finish(struct rank_group *group, enum code code, struct output *output) {
    bool open = output->fd != -1;
    if (code == CODE_DONE)
        code = complete(output);
    if (open)
        close(output->fd);
    output->fd = -1;
    code = rank_group_agree(group, code);
    if (open && rank_group_leads(group) && !output_is_standard(output))
        code = name_file(code, output);
    return rank_group_agree(group, code);
}
