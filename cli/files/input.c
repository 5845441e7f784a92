/* input.c - opens matrices in files: .npy, members of .npz, Matrix Market, each also from a pipe.
 */
#include "files/input_pipe.h"
#include "files/matrix_file.h"
#include "files/matrix_market.h"
#include "files/piecewise.h"
#include "output/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any header of a matrix. */
enum { START_BYTES = 1 << 17 };

static enum code fail_input(const struct input *input) {
    report_error("%s: %s", input->path, strerror(errno));
    return CODE_FAILED;
}

static enum code fail_refused(const struct input *input, const char *why) {
    report_error("%s: %s", input->path, why);
    return CODE_FAILED;
}

/* Reads the first bytes of the .npy file, which may be packed, and returns the size of the whole.
 */
static bool read_start(const struct input *input, unsigned char *start, size_t *length,
                       size_t *size, char *why) {
    if (input->in_archive) {
        *size = input->member.bytes;
        return zip_peek(input->fd, &input->member, start, START_BYTES, length, why);
    }
    *size = input->size;
    ssize_t got = spool_read(input->fd, start, START_BYTES, 0);
    *length = got > 0 ? (size_t)got : 0;
    return got >= 0 || refuse(why, "%s", strerror(errno));
}

static enum code read_header(struct input *input) {
    char why[WHY_BYTES];
    size_t length, size;
    unsigned char *start = malloc(START_BYTES);
    enum code code = CODE_DONE;
    if (!start)
        code = fail_input(input);
    else if (!read_start(input, start, &length, &size, why) ||
             !npy_parse(start, length, size, input->path, &input->header, why))
        code = fail_refused(input, why);
    /* What is not packed is read in place. */
    if (input->in_archive && !input->member.packed)
        input->header.offset += input->member.at;
    free(start);
    return code;
}

static enum code open_member(struct input *input, const char *name) {
    char why[WHY_BYTES];
    if (!zip_find(input->fd, input->size, name, &input->member, why))
        return fail_refused(input, why);
    input->in_archive = true;
    return read_header(input);
}

static enum code open_text(struct input *input) {
    char why[WHY_BYTES];
    input->in_text = true;
    return matrix_market_peek(input->fd, input->size, &input->header, why)
               ? CODE_DONE
               : fail_refused(input, why);
}

/* Tells by the first bytes which format the open file has, and reads the header. `member` is the
 * name of a matrix within an archive; "" if the user gave none. */
static enum code look_inside(struct input *input, const char *member) {
    unsigned char start[16];
    ssize_t length = spool_read(input->fd, start, sizeof start, 0);
    if (length < 0)
        return fail_input(input);
    if (length >= 4 && (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0))
        return open_member(input, member);
    if (member[0] != '\0')
        return fail_refused(input, "it is not a .npz archive");
    return matrix_market_begins(start, (size_t)length) ? open_text(input) : read_header(input);
}

static enum code check_alone(const struct rank_group *group, const char *what) {
    if (group->processes == 1)
        return CODE_DONE;
    report_error("%s needs ranks that are threads of one process: only one process can read it",
                 what);
    return CODE_USAGE;
}

static enum code look_at_file(const char *member, bool standard, struct progress *progress,
                              struct input *input) {
    struct stat about;
    if (fstat(input->fd, &about) == -1)
        return fail_input(input);
    input->device = about.st_dev;
    input->inode = about.st_ino;
    if (standard || S_ISFIFO(about.st_mode)) {
        enum code code = input_pipe_take(progress, input);
        if (code != CODE_DONE)
            return code;
        if (fstat(input->fd, &about) == -1)
            return fail_input(input);
    }
    input->size = (size_t)about.st_size;
    if (S_ISREG(about.st_mode) && about.st_size > 0)
        return look_inside(input, member);
    report_error("%s: it is not a .npy file: it is %s", input->path,
                 S_ISREG(about.st_mode) ? "empty" : "not a regular file");
    return CODE_FAILED;
}

static enum code open_standard(const struct rank_group *group, struct progress *progress,
                               struct input *input) {
    enum code code = check_alone(group, "-");
    if (code != CODE_DONE)
        return code;
    input->path = "standard input";
    input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return input->fd == -1 ? fail_input(input) : look_at_file("", true, progress, input);
}

static bool is_pipe(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

/* Opens FILE:MEMBER, if the text is not itself the name of a file. Sets `member` to "" if there is
 * none. A pipe with a name is opened when a program opens its other end. */
static int open_file(const char *path, const char **member) {
    int mode = O_RDONLY | O_CLOEXEC | (is_pipe(path) ? 0 : O_NONBLOCK);
    const char *colon = strrchr(path, ':');
    char file[PATH_MAX];
    *member = "";
    int fd = open(path, mode);
    if (fd != -1 || errno != ENOENT || !colon || colon - path >= PATH_MAX)
        return fd;
    snprintf(file, sizeof file, "%.*s", (int)(colon - path), path);
    *member = colon + 1;
    return open(file, mode);
}

enum code input_open(const struct rank_group *group, const char *path, struct progress *progress,
                     struct input *input) {
    const char *member;
    enum code code = CODE_DONE;
    *input = (struct input){.path = path, .fd = -1};
    if (strcmp(path, "-") == 0)
        code = open_standard(group, progress, input);
    else if (is_pipe(path))
        code = check_alone(group, path);
    if (code == CODE_DONE && input->fd == -1) {
        if (is_pipe(path))
            progress_begin(progress, PROGRESS_TIMED, "waiting for %s", path);
        input->fd = open_file(path, &member);
        progress_clear(progress);
        code = input->fd == -1 ? fail_input(input) : look_at_file(member, false, progress, input);
    }
    if (code != CODE_DONE)
        input_close(input);
    return code;
}

void input_close(struct input *input) {
    if (input->fd != -1)
        close(input->fd);
    input->fd = -1;
}

sct_status input_read(struct worker *worker, const struct input *input,
                      const struct portion *portion, sct_op op, sct_matrix *to) {
    const struct stored stored = {.path = input->path,
                                  .fd = input->fd,
                                  .header = &input->header,
                                  .share = portion->share,
                                  .index = portion->index,
                                  .slice = &portion->slice,
                                  .moved = progress_add,
                                  .context = portion->progress};
    return piecewise_read(worker, &stored, op, to);
}
