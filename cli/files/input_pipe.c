/* input_pipe.c - see input_pipe.h. */
#include "files/input_pipe.h"

#include "files/matrix_market.h"
#include "output/spool.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is read before the first bytes are looked at: more than any header of a matrix. */
enum { START_BYTES = 1 << 17 };

static enum code fail_pipe(const struct input *input, const char *why) {
    report_error("%s: %s", input->path, why);
    return CODE_FAILED;
}

static enum code fail_copy(const struct input *input, int error) {
    char why[WHY_BYTES];
    if (error != ENOSPC && error != EDQUOT && error != EFBIG)
        return fail_pipe(input, strerror(error));
    spool_refuse(why, error);
    return fail_pipe(input, why);
}

/* How many bytes the matrix takes that begins with these. A text may have more than it needs. */
static bool find_size(const struct input *input, const unsigned char *start, size_t length,
                      size_t *bytes, char *why) {
    struct npy_header header;
    if (length == 0)
        return refuse(why, "it is not a .npy file: it is empty");
    if (length >= 4 && memcmp(start, "PK\3\4", 4) == 0)
        return refuse(why, "it is a .npz archive, which is read from a file only");
    if (!matrix_market_begins(start, length))
        return npy_announces(start, length, input->path, bytes, why);
    if (!matrix_market_peek(input->fd, SIZE_MAX, &header, why))
        return false;
    *bytes = START_BYTES + matrix_market_most_bytes(&header);
    return true;
}

static enum code look_at_start(const struct input *input, size_t *bytes) {
    char why[WHY_BYTES];
    unsigned char *start = malloc(START_BYTES);
    ssize_t length = start ? spool_read(input->fd, start, START_BYTES, 0) : -1;
    enum code code = CODE_DONE;
    if (length < 0)
        code = fail_pipe(input, strerror(errno));
    else if (!find_size(input, start, (size_t)length, bytes, why))
        code = fail_pipe(input, why);
    free(start);
    return code;
}

/* Copies up to so many bytes of the pipe in all, of which `taken` have come. */
static enum code copy_until(int pipe, size_t bytes, struct progress *progress,
                            const struct input *input, size_t *taken) {
    if (*taken >= bytes)
        return CODE_DONE;
    int64_t got = spool_copy(pipe, input->fd, bytes - *taken, progress_add, progress);
    if (got < 0)
        return fail_copy(input, errno);
    *taken += (size_t)got;
    return CODE_DONE;
}

/* Too few bytes are noticed when the file is opened. */
static enum code check_end(size_t bytes, size_t taken, const struct input *input) {
    char why[WHY_BYTES];
    if (taken <= bytes)
        return CODE_DONE;
    refuse(why, "it is too long: more than the %zu bytes that its header says", bytes);
    return fail_pipe(input, why);
}

static enum code take(int pipe, struct progress *progress, const struct input *input) {
    size_t bytes = 0, taken = 0;
    progress_begin(progress, 0, "reading %s", input->path);
    enum code code = copy_until(pipe, START_BYTES, progress, input, &taken);
    if (code == CODE_DONE)
        code = look_at_start(input, &bytes);
    if (code == CODE_DONE && bytes > taken) {
        progress_begin(progress, (int64_t)bytes, "reading %s", input->path);
        progress_add(progress, (int64_t)taken);
        code = copy_until(pipe, bytes, progress, input, &taken);
    }
    if (code == CODE_DONE)
        code = copy_until(pipe, bytes + 1, progress, input, &taken);
    progress_clear(progress);
    return code == CODE_DONE ? check_end(bytes, taken, input) : code;
}

enum code input_pipe_take(struct progress *progress, struct input *input) {
    char why[WHY_BYTES];
    int pipe = input->fd;
    input->fd = spool_create();
    enum code code = CODE_DONE;
    if (input->fd == -1) {
        spool_refuse(why, errno);
        code = fail_pipe(input, why);
    } else {
        code = take(pipe, progress, input);
    }
    close(pipe);
    return code;
}
