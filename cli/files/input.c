/* input.c - opens matrices in files: .npy, members of .npz, Matrix Market, each also from a pipe;
 * and brings their elements to where all ranks can read them at any place.
 *
 * What is packed, or a text, is unpacked to a file without a name: once on each host, by its first
 * process, whose file the others open through /proc. A process that cannot unpacks its own. */
#include "files/matrix_file.h"
#include "files/matrix_market.h"
#include "files/piecewise.h"
#include "output/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Pipes ---- */

/* The first bytes tell the formats apart; a header must lie within the start. */
enum { FIRST_BYTES = 16, START_BYTES = 1 << 17 };

static enum code fail(const struct input *input, const char *why) {
    report_error("%s: %s", input->path, why);
    return CODE_FAILED;
}

static enum code fail_copy(const struct input *input, int error) {
    char why[WHY_BYTES];
    if (error != ENOSPC && error != EDQUOT && error != EFBIG)
        return fail(input, strerror(error));
    spool_refuse(why, error);
    return fail(input, why);
}

/* Copies bytes of the pipe until the file has so many, or the pipe ends. */
static enum code take_until(size_t bytes, struct progress *progress, struct input *input) {
    if (input->taken >= bytes)
        return CODE_DONE;
    int64_t got = spool_copy(input->pipe, input->fd, bytes - input->taken, progress_add, progress);
    if (got < 0)
        return fail_copy(input, errno);
    input->taken += (size_t)got;
    return CODE_DONE;
}

/* Finds from the first bytes how many the header has; of a text, at most. */
static bool find_header(const unsigned char *first, size_t length, size_t *bytes, char *why) {
    *bytes = START_BYTES;
    if (length == 0)
        return refuse(why, "it is not a .npy file: it is empty");
    if (length >= 4 && memcmp(first, "PK\3\4", 4) == 0)
        return refuse(why, "it is a .npz archive, which is read from a file only");
    return matrix_market_begins(first, length) || npy_header_bytes(first, length, bytes, why);
}

static enum code take_header(struct progress *progress, struct input *input) {
    char why[WHY_BYTES];
    unsigned char first[FIRST_BYTES];
    size_t bytes;
    enum code code = take_until(FIRST_BYTES, progress, input);
    if (code != CODE_DONE)
        return code;
    ssize_t length = spool_read(input->fd, first, FIRST_BYTES, 0);
    if (length < 0)
        return fail(input, strerror(errno));
    if (!find_header(first, (size_t)length, &bytes, why))
        return fail(input, why);
    return take_until(bytes < START_BYTES ? bytes : START_BYTES, progress, input);
}

/* Finds from its header how many bytes a matrix takes: of a text, at most; of a .npy file, exactly.
 */
static bool find_size(const unsigned char *start, struct input *input, char *why) {
    struct npy_header header;
    if (!matrix_market_begins(start, input->taken))
        return npy_announces(start, input->taken, input->path, &input->size, why);
    if (!matrix_market_peek(input->fd, SIZE_MAX, START_BYTES, &header, why))
        return false;
    input->size = START_BYTES + matrix_market_most_bytes(&header);
    return true;
}

static enum code look_at_start(struct input *input) {
    char why[WHY_BYTES];
    unsigned char *start = malloc(START_BYTES);
    enum code code = CODE_DONE;
    if (!start || spool_read(input->fd, start, START_BYTES, 0) < 0)
        code = fail(input, strerror(errno));
    else if (!find_size(start, input, why))
        code = fail(input, why);
    free(start);
    return code;
}

/* A pipe that has been silent for so long is mentioned: a mistake is likely. */
enum { LONG_WAIT_MS = 5000 };

/* Waits until bytes can be read or the input ends, for at most that many milliseconds; -1: without
 * a limit. */
static bool is_silent(const struct input *input, int ms) {
    struct pollfd watched = {.fd = input->pipe, .events = POLLIN};
    int ready = poll(&watched, 1, ms);
    while (ready < 0 && errno == EINTR)
        ready = poll(&watched, 1, ms);
    return ready == 0;
}

/* Waits until a program has written to the pipe, or has closed it. A pipe with a name may have no
 * program at its other end yet. */
static void await_writer(struct progress *progress, const struct input *input) {
    progress_begin(progress, PROGRESS_TIMED, "waiting for %s", input->path);
    if (is_silent(input, LONG_WAIT_MS)) {
        progress_clear(progress);
        report_warning("waiting for the header of %s; each pipe needs a program of its own that "
                       "writes to it",
                       input->path);
        progress_begin(progress, PROGRESS_TIMED, "waiting for %s", input->path);
        (void)is_silent(input, -1);
    }
    progress_clear(progress);
}

/* Creates a file without a name, in which ranks can read at any place, for what comes from the open
 * pipe, and copies the header there. The rest is copied when it is needed. Prints errors. */
static enum code pipe_begin(struct progress *progress, struct input *input) {
    char why[WHY_BYTES];
    input->pipe = input->fd;
    input->fd = spool_create();
    if (input->fd == -1) {
        spool_refuse(why, errno);
        return fail(input, why);
    }
    await_writer(progress, input);
    progress_begin(progress, 0, "reading %s", input->path);
    enum code code = take_header(progress, input);
    progress_clear(progress);
    return code == CODE_DONE ? look_at_start(input) : code;
}

static void pipe_close(struct input *input) {
    if (input->pipe != -1)
        close(input->pipe);
    input->pipe = -1;
}

/* The end of a text is looked for when it is unpacked. */
static bool check_end(const struct input *input, char *why) {
    if (input->taken > input->size && input->in_text)
        return refuse(
            why,
            "it is too long: a text of a %lld x %lld matrix may have at most %zu bytes where it "
            "comes from a pipe",
            (long long)input->header.rows, (long long)input->header.cols, input->size);
    if (input->taken > input->size)
        return refuse(why, "it is too long: more than the %zu bytes that its header says",
                      input->size);
    return input->in_text || input->taken == input->size ||
           refuse(why, "it is cut short: %zu bytes, but its header says %zu", input->taken,
                  input->size);
}

/* Reads the rest of the pipe, but no more than the header announces, since a pipe may never end.
 */
static enum code pipe_load(struct progress *progress, struct input *input) {
    char why[WHY_BYTES];
    if (!input->in_text && !spool_has_room(input->fd, input->size))
        return fail_copy(input, ENOSPC);
    progress_begin(progress, (int64_t)input->size, "reading %s", input->path);
    progress_add(progress, (int64_t)input->taken);
    enum code code = take_until(input->size, progress, input);
    if (code == CODE_DONE)
        code = take_until(input->size + 1, progress, input);
    progress_clear(progress);
    if (code != CODE_DONE)
        return code;
    if (!check_end(input, why))
        return fail(input, why);
    input->size = input->taken;
    pipe_close(input);
    return CODE_DONE;
}

/* ---- Loading ---- */

/* Where the file of another process can be found. */
struct lent {
    long process;
    int fd;
    dev_t device;
    ino_t inode;
};

static bool is_packed(const struct input *input) {
    return input->in_text || (input->in_archive && input->member.packed);
}

static bool unpack_to(struct input *input, int fd, struct progress *progress, char *why) {
    if (input->in_text)
        return matrix_market_read(input->fd, input->size, fd, &input->header, why);
    return zip_unpack(input->fd, &input->member, fd, progress_add, progress, why);
}

/* The elements are in this file now. */
static void take_over(struct input *input, int fd) {
    close(input->fd);
    input->fd = fd;
    input->in_text = input->in_archive = false;
}

static enum code unpack(struct input *input, struct progress *progress) {
    char why[WHY_BYTES];
    sct_type type = input->header.type; /* as which it is to be read, whatever the text holds */
    int fd = spool_create();
    if (fd == -1) {
        spool_refuse(why, errno);
        return fail(input, why);
    }
    progress_begin(progress, input->in_archive ? (int64_t)input->member.stored : 0, "unpacking %s",
                   input->path);
    bool unpacked = unpack_to(input, fd, progress, why);
    progress_clear(progress);
    if (!unpacked) {
        close(fd);
        return fail(input, why);
    }
    input->header.type = type;
    take_over(input, fd);
    return CODE_DONE;
}

static bool borrow(struct input *input, const struct lent *lent) {
    char path[80];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", lent->process, lent->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1)
        return false;
    bool same =
        fstat(fd, &about) == 0 && about.st_dev == lent->device && about.st_ino == lent->inode;
    if (same)
        take_over(input, fd);
    else
        close(fd);
    return same;
}

static struct lent lend(const struct input *input) {
    struct stat about;
    if (fstat(input->fd, &about) != 0)
        return (struct lent){.process = 0};
    return (struct lent){getpid(), input->fd, about.st_dev, about.st_ino};
}

/* One process alone checks the sum of what is read in place, since that takes all of it. */
static enum code check_sum(struct input *input, struct progress *progress) {
    char why[WHY_BYTES];
    progress_begin(progress, (int64_t)input->member.stored, "checking %s", input->path);
    bool good = zip_check(input->fd, &input->member, progress_add, progress, why);
    progress_clear(progress);
    return good ? CODE_DONE : fail(input, why);
}

/* What one process of each host does before the others read: it reads a pipe, unpacks a compressed
 * file, or checks the checksum of a member of an archive. */
static enum code load_first(const struct rank_group *group, struct progress *progress,
                            struct input *input) {
    enum code code = input->pipe == -1 ? CODE_DONE : pipe_load(progress, input);
    if (code != CODE_DONE)
        return code;
    if (is_packed(input))
        return unpack(input, progress);
    return input->in_archive && rank_group_leads(group) ? check_sum(input, progress) : CODE_DONE;
}

enum code inputs_load(struct rank_group *group, enum code code, const struct host *host,
                      struct progress *progress, struct input *inputs, int count) {
    for (int i = 0; i < count; i++) {
        bool first = code == CODE_DONE && host->first == group->process;
        if (first)
            code = load_first(group, progress, &inputs[i]);
        struct lent own = lend(&inputs[i]);
        struct lent *all = rank_group_collect(group, &code, &own, sizeof own);
        if (code == CODE_DONE && !first && is_packed(&inputs[i]) &&
            !borrow(&inputs[i], &all[host->first]))
            code = unpack(&inputs[i], progress);
        free(all);
    }
    /* Until all have done so, the first process keeps its files open. */
    return rank_group_agree(group, code);
}

/* ---- Opening ---- */

static enum code fail_input(const struct input *input) {
    report_error("%s: %s", input->path, strerror(errno));
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
        code = fail(input, why);
    /* What is not packed is read in place. */
    if (input->in_archive && !input->member.packed)
        input->header.offset += input->member.at;
    free(start);
    return code;
}

static enum code open_member(struct input *input, const char *name) {
    char why[WHY_BYTES];
    if (!zip_find(input->fd, input->size, name, &input->member, why))
        return fail(input, why);
    input->in_archive = true;
    return read_header(input);
}

static enum code open_text(struct input *input) {
    char why[WHY_BYTES];
    input->in_text = true;
    return matrix_market_peek(input->fd, input->size, SIZE_MAX, &input->header, why)
               ? CODE_DONE
               : fail(input, why);
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
        return fail(input, "it is not a .npz archive");
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
        enum code code = pipe_begin(progress, input);
        return code == CODE_DONE ? look_inside(input, member) : code;
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

static bool find_pipe(const char *path, struct stat *about) {
    int found = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, about) : stat(path, about);
    return found == 0 && S_ISFIFO(about->st_mode);
}

static bool is_pipe(const char *path) {
    struct stat about;
    return find_pipe(path, &about);
}

static bool is_same_pipe(const char *one, const char *other) {
    struct stat first, second;
    return find_pipe(one, &first) && find_pipe(other, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

enum code inputs_check_pipes(const char *const *paths, int count) {
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (paths[i] && paths[j] && is_same_pipe(paths[i], paths[j])) {
                report_error("%s and %s are one pipe, which can be read only once", paths[j],
                             paths[i]);
                return CODE_USAGE;
            }
    return CODE_DONE;
}

/* Opens FILE:MEMBER, if the text is not itself the name of a file. Sets `member` to "" if there is
 * none. */
static int open_file(const char *path, const char **member) {
    const int mode = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
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
    *input = (struct input){.path = path, .fd = -1, .pipe = -1};
    if (strcmp(path, "-") == 0)
        code = open_standard(group, progress, input);
    else if (is_pipe(path))
        code = check_alone(group, path);
    if (code == CODE_DONE && input->fd == -1) {
        input->fd = open_file(path, &member);
        code = input->fd == -1 ? fail_input(input) : look_at_file(member, false, progress, input);
    }
    if (code != CODE_DONE)
        input_close(input);
    return code;
}

void input_close(struct input *input) {
    pipe_close(input);
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
