/* npy_read.c - reads .npy files. */
#include "files/matrix_file.h"
#include "files/piecewise.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any header of a matrix. */
enum { START_BYTES = 1 << 17 };

static enum code fail(const struct input *input) {
    report_error("%s: %s", input->path, strerror(errno));
    return CODE_FAILED;
}

/* Reads up to START_BYTES of the start of the file. */
static ssize_t read_start(int fd, unsigned char *start, size_t bytes) {
    size_t length = 0;
    while (length < bytes) {
        ssize_t got = pread(fd, start + length, bytes - length, (off_t)length);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == 0)
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)length;
}

static enum code read_header(struct input *input, size_t size) {
    char why[NPY_WHY_BYTES];
    unsigned char *start = malloc(START_BYTES);
    ssize_t length = start ? read_start(input->fd, start, START_BYTES) : -1;
    enum code code = CODE_FAILED;
    if (length < 0)
        fail(input);
    else if (!npy_parse(start, (size_t)length, size, input->path, &input->header, why))
        report_error("%s: %s", input->path, why);
    else
        code = CODE_DONE;
    free(start);
    return code;
}

/* Checks that it is a regular file and not empty. */
static enum code look_at_file(struct input *input) {
    struct stat about;
    if (fstat(input->fd, &about) == -1)
        return fail(input);
    if (S_ISREG(about.st_mode) && about.st_size > 0)
        return read_header(input, (size_t)about.st_size);
    report_error("%s: it is not a .npy file: it is %s", input->path,
                 S_ISREG(about.st_mode) ? "empty" : "not a regular file");
    return CODE_FAILED;
}

enum code input_open(const char *path, struct input *input) {
    /* non-blocking, because it may be a pipe */
    *input = (struct input){.path = path, .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    if (input->fd == -1)
        return fail(input);
    enum code code = look_at_file(input);
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
    const struct stored stored = {input->path, input->fd, &input->header};
    return piecewise_read(worker, &stored, op, to);
}
