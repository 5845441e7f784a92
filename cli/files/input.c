/* input.c - opens matrices in files: .npy, members of .npz, Matrix Market, each also from a pipe.
 */
#include "files/matrix_file.h"
#include "files/matrix_market.h"
#include "files/piecewise.h"
#include "files/zip.h"
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

/* Where in an open file a .npy file lies. */
struct place_in_file {
    size_t at, bytes;
};

static enum code fail_input(const struct input *input) {
    report_error("%s: %s", input->path, strerror(errno));
    return CODE_FAILED;
}

static enum code fail_refused(const struct input *input, const char *why) {
    report_error("%s: %s", input->path, why);
    return CODE_FAILED;
}

static enum code fail_spool(const struct input *input) {
    char why[WHY_BYTES];
    spool_refuse(why, errno);
    return fail_refused(input, why);
}

/* Reads the header of a .npy file that lies at a place in the open file. */
static enum code read_header(struct input *input, const struct place_in_file *place) {
    char why[WHY_BYTES];
    unsigned char *start = malloc(START_BYTES);
    size_t most = place->bytes < START_BYTES ? place->bytes : START_BYTES;
    ssize_t length = start ? spool_read(input->fd, start, most, place->at) : -1;
    enum code code = CODE_DONE;
    if (length < 0)
        code = fail_input(input);
    else if (!npy_parse(start, (size_t)length, place->bytes, input->path, &input->header, why))
        code = fail_refused(input, why);
    input->header.offset += place->at;
    free(start);
    return code;
}

/* Replaces the open file by a new one without a name, and sets `before` to the old one. */
static enum code begin_spool(struct input *input, int *before) {
    int fd = spool_create();
    *before = input->fd;
    if (fd == -1) {
        *before = -1;
        return fail_spool(input);
    }
    input->fd = fd;
    return CODE_DONE;
}

/* Finds a member of an archive, and unpacks it unless it is stored as it is. One process alone
 * checks the sum of what is stored, since that takes all of it. */
static enum code open_member(const struct rank_group *group, struct input *input, size_t size,
                             const char *name) {
    char why[WHY_BYTES];
    struct zip_member member;
    int archive;
    if (!zip_find(input->fd, size, name, &member, why))
        return fail_refused(input, why);
    if (!member.packed && rank_group_leads(group) && !zip_check(input->fd, &member, why))
        return fail_refused(input, why);
    if (!member.packed)
        return read_header(input, &(struct place_in_file){member.at, member.bytes});
    enum code code = begin_spool(input, &archive);
    if (code != CODE_DONE)
        return code;
    bool unpacked = zip_unpack(archive, &member, input->fd, why);
    close(archive);
    if (!unpacked)
        return fail_refused(input, why);
    return read_header(input, &(struct place_in_file){0, member.bytes});
}

static enum code open_text(struct input *input, size_t size) {
    char why[WHY_BYTES];
    int text;
    enum code code = begin_spool(input, &text);
    if (code == CODE_DONE && !matrix_market_read(text, size, input->fd, &input->header, why))
        code = fail_refused(input, why);
    if (text != -1)
        close(text);
    return code;
}

/* Tells by the first bytes which format the open file has, and reads the header. `member` is the
 * name of a matrix within an archive; "" if the user gave none. */
static enum code look_inside(const struct rank_group *group, struct input *input, size_t size,
                             const char *member) {
    unsigned char start[16];
    ssize_t length = spool_read(input->fd, start, sizeof start, 0);
    if (length < 0)
        return fail_input(input);
    if (length >= 4 && (memcmp(start, "PK\3\4", 4) == 0 || memcmp(start, "PK\5\6", 4) == 0))
        return open_member(group, input, size, member);
    if (member[0] != '\0')
        return fail_refused(input, "it is not a .npz archive");
    if (matrix_market_begins(start, (size_t)length))
        return open_text(input, size);
    return read_header(input, &(struct place_in_file){0, size});
}

/* Copies what comes from a pipe to a file, in which ranks can read at any place. */
static enum code take_pipe(struct input *input) {
    int pipe;
    enum code code = begin_spool(input, &pipe);
    if (code == CODE_DONE && !spool_copy(pipe, input->fd)) {
        bool to_write = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
        code = to_write ? fail_spool(input) : fail_input(input);
    }
    if (pipe != -1)
        close(pipe);
    return code;
}

static enum code look_at_file(const struct rank_group *group, struct input *input,
                              const char *member, bool standard) {
    struct stat about;
    if (fstat(input->fd, &about) == -1)
        return fail_input(input);
    input->device = about.st_dev;
    input->inode = about.st_ino;
    if (standard) {
        enum code code = take_pipe(input);
        if (code != CODE_DONE)
            return code;
        if (fstat(input->fd, &about) == -1)
            return fail_input(input);
    }
    if (S_ISREG(about.st_mode) && about.st_size > 0)
        return look_inside(group, input, (size_t)about.st_size, member);
    report_error("%s: it is not a .npy file: it is %s", input->path,
                 S_ISREG(about.st_mode) ? "empty" : "not a regular file");
    return CODE_FAILED;
}

static enum code open_standard(const struct rank_group *group, struct input *input) {
    input->path = "standard input";
    if (group->processes > 1) {
        report_error("- needs ranks that are threads of one process: only one can read the "
                     "standard input");
        return CODE_USAGE;
    }
    input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return input->fd == -1 ? fail_input(input) : look_at_file(group, input, "", true);
}

/* Opens FILE:MEMBER, if the text is not itself the name of a file. Sets `member` to "" if there is
 * none. Non-blocking, because opening a pipe would wait for a writer. */
static int open_file(const char *path, const char **member) {
    int mode = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
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

enum code input_open(const struct rank_group *group, const char *path, struct input *input) {
    const char *member;
    enum code code;
    *input = (struct input){.path = path, .fd = -1};
    if (strcmp(path, "-") == 0) {
        code = open_standard(group, input);
    } else {
        input->fd = open_file(path, &member);
        code = input->fd == -1 ? fail_input(input) : look_at_file(group, input, member, false);
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

sct_status input_read(struct worker *worker, const struct input *input, sct_op op, sct_matrix *to) {
    const struct stored stored = {.path = input->path, .fd = input->fd, .header = &input->header};
    return piecewise_read(worker, &stored, op, to);
}
