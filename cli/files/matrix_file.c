/* matrix_file.c - writes .npy files: a file gets its name only when complete. */
#include "files/matrix_file.h"

#include "files/piecewise.h"
#include "output/spool.h"
#include "ranks/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Allocates all of the file on the disk, so that a full one is found early, and writes the header.
 * Returns 0, or the number of the error. */
static int fill_file(const struct output *output, const unsigned char *header) {
    size_t bytes = output->header.offset;
    int error = posix_fallocate(output->fd, 0, (off_t)output->size);
    if (error == 0 && pwrite(output->fd, header, bytes, 0) != (ssize_t)bytes)
        error = errno != 0 ? errno : EIO;
    return error;
}

/* A file without a name, which is copied to the standard output when complete. */
static enum code make_spool(const struct rank_group *group, const unsigned char *header,
                            struct output *output) {
    char why[WHY_BYTES];
    if (group->processes > 1) {
        report_error("-o - needs ranks that are threads of one process");
        return CODE_USAGE;
    }
    output->fd = spool_create();
    int error = output->fd == -1 ? errno : fill_file(output, header);
    if (error == 0)
        return CODE_DONE;
    spool_refuse(why, error);
    report_error("%s: %s", output->name, why);
    return CODE_FAILED;
}

enum code output_check(const char *path) {
    char folder[PATH_MAX];
    const struct output output = {.name = path};
    struct stat about;
    if (is_standard(path) && isatty(STDOUT_FILENO)) {
        report_error("-o - would write binary data to a terminal; give the name of a file, or send "
                     "the standard output to a file or a pipe");
        return CODE_USAGE;
    }
    if (is_standard(path))
        return CODE_DONE;
    if (!replacement_possible(path)) {
        report_error(
            "%s: cannot be written: it is not a regular file; -o - writes to standard output",
            path);
        return CODE_FAILED;
    }
    if (access(path, W_OK) == -1 && errno != ENOENT)
        return fail_output(&output, errno);
    if (access(path, F_OK) == -1 && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        report_error("%s: cannot be written: it is a link to a file that does not exist", path);
        return CODE_FAILED;
    }
    replacement_folder(path, folder);
    return access(folder, F_OK) == 0 ? CODE_DONE : fail_output(&output, errno);
}

/* Creates the file, on rank 0. */
static enum code make_file(struct rank_group *group, bool on_this_host, const unsigned char *header,
                           struct output *output) {
    if (output_is_standard(output))
        return make_spool(group, header, output);
    enum code code = output_check(output->asked);
    if (code != CODE_DONE)
        return code;
    output->replaces = access(output->asked, F_OK) == 0;
    output->fd = replacement_open(&output->file, output->asked, on_this_host);
    if (output->fd == -1 || !replacement_set_mode(&output->file, output->fd))
        return fail_output(output, errno);
    int error = fill_file(output, header);
    return error == 0 ? CODE_DONE : fail_output(output, error);
}

/* Collective. True if all processes are of one host. */
static bool are_of_one_host(struct rank_group *group, enum code *code) {
    char host[SYSTEM_HOST];
    system_host(host);
    char *hosts = rank_group_collect(group, code, host, sizeof host);
    bool same = hosts != NULL;
    for (int p = 1; p < group->processes && same; p++)
        same = strcmp(hosts + (size_t)p * sizeof host, hosts) == 0;
    free(hosts);
    return same;
}

/* What other processes open: in another PID namespace, the name may be that of another file. */
struct made_file {
    char name[PATH_MAX];
    ino_t inode;
};

/* Opens the file on the other processes, once rank 0 has created it. */
static enum code share_file(struct rank_group *group, enum code code, struct output *output) {
    struct made_file made = {.inode = 0};
    struct stat about = {.st_ino = 0};
    memcpy(made.name, output->file.temporary, sizeof made.name);
    if (code == CODE_DONE && rank_group_leads(group) && fstat(output->fd, &about) == 0)
        made.inode = about.st_ino;
    code = rank_group_spread(group, code, &made, sizeof made);
    if (code != CODE_DONE || rank_group_leads(group))
        return code;
    output->fd = open(made.name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (output->fd == -1)
        return fail_output(output, errno);
    bool same = fstat(output->fd, &about) == 0 && about.st_ino == made.inode;
    return same ? CODE_DONE : fail_output(output, ENOENT);
}

/* Whether a file is there that is no .npy file, neither by its name nor by its first bytes, and not
 * empty. */
static bool is_of_other_kind(const char *path) {
    static const char ending[] = ".npy";
    unsigned char start[NPY_MAGIC_BYTES];
    size_t name = strlen(path), end = strlen(ending);
    if (name >= end && strcmp(path + name - end, ending) == 0)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = fd == -1 ? 0 : spool_read(fd, start, sizeof start, 0);
    if (fd != -1)
        close(fd);
    return length > 0 && !npy_begins(start, (size_t)length);
}

enum code output_check_replaced(const char *path, const struct input *inputs, int count) {
    struct stat output;
    if (is_standard(path) || stat(path, &output) == -1)
        return CODE_DONE; /* a new file */
    for (int i = 0; i < count; i++) {
        if (inputs[i].device != output.st_dev || inputs[i].inode != output.st_ino)
            continue;
        report_error("-o %s would replace the input %s; --force allows that", path, inputs[i].path);
        return CODE_USAGE;
    }
    if (!is_of_other_kind(path))
        return CODE_DONE;
    report_error("-o %s would replace a file that is no .npy file; --force allows that", path);
    return CODE_USAGE;
}

enum code output_check_room(const char *path, const struct npy_header *header) {
    unsigned char start[NPY_HEADER_BYTES];
    char folder[PATH_MAX];
    const struct output output = {.name = path};
    struct npy_header made = *header;
    if (is_standard(path))
        return CODE_DONE;
    size_t bytes = npy_format(&made, start);
    replacement_folder(path, folder);
    int fd = open(access(path, F_OK) == 0 ? path : folder, O_PATH | O_CLOEXEC);
    bool room = bytes > 0 && (fd == -1 || spool_has_room(fd, bytes));
    if (fd != -1)
        close(fd);
    return room ? CODE_DONE : fail_output(&output, bytes > 0 ? ENOSPC : EFBIG);
}

enum code output_create(struct rank_group *group, enum code code, const char *path,
                        const struct npy_header *header, struct output *output) {
    unsigned char start[NPY_HEADER_BYTES];
    *output = (struct output){.asked = path,
                              .name = is_standard(path) ? "standard output" : path,
                              .fd = -1,
                              .header = *header};
    if (code == CODE_DONE) {
        output->size = npy_format(&output->header, start);
        if (output->size == 0)
            code = fail_output(output, EFBIG);
    }
    bool one_host = are_of_one_host(group, &code);
    if (code == CODE_DONE && rank_group_leads(group))
        code = make_file(group, one_host, start, output);
    code = rank_group_agree(group, share_file(group, code, output));
    return code == CODE_DONE ? code : output_finish(group, code, output);
}

sct_status output_write(struct worker *worker, const struct output *output,
                        const struct portion *portion, sct_matrix *from) {
    const struct stored stored = {.path = output->name,
                                  .fd = output->fd,
                                  .header = &output->header,
                                  .share = portion->share,
                                  .index = portion->index,
                                  .slice = &portion->slice,
                                  .moved = progress_add,
                                  .context = portion->progress};
    return piecewise_write(worker, &stored, from);
}

/* Makes sure that the file is on the disk, or in the standard output. */
static enum code complete(const struct output *output) {
    bool done = !output_is_standard(output)
                    ? fsync(output->fd) == 0
                    : lseek(output->fd, 0, SEEK_SET) == 0 &&
                          spool_copy(output->fd, STDOUT_FILENO, SIZE_MAX, NULL, NULL) >= 0;
    return done ? CODE_DONE : fail_output(output, errno);
}

enum code output_finish(struct rank_group *group, enum code code, struct output *output) {
    bool open = output->fd != -1;
    if (code == CODE_DONE)
        code = complete(output);
    code = rank_group_agree(group, code);
    if (open && rank_group_leads(group) && !output_is_standard(output))
        code = replacement_finish(&output->file, code == CODE_DONE) ? code
                                                                    : fail_output(output, errno);
    if (open)
        close(output->fd);
    output->fd = -1;
    return rank_group_agree(group, code);
}
