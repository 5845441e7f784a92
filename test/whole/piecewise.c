/* piecewise.c - matrices are read from files and written to them piece by piece: with all elements
 * as they are, on devices while their moves are under way, and with one reason if that fails. */
#include "files/piecewise.h"
#include "api/world.h"
#include "base/status.h"
#include "engine/emulated.h"
#include "whole/support/elements.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 3, HEADER = 64 };

/* What goes wrong, on the last rank. */
typedef enum fault { NO_FAULT, SHORT_FILE, FULL_DISK, FAILED_MOVE, NO_MEMORY } fault;

typedef struct request {
    bool on_host; /* or on devices */
    int per_node;
    const char *layout, *read_layout;
    sct_type type;
    sct_order order;
    sct_op op;
    int64_t rows, cols, share;
    fault fault;
    const char *word; /* of the reason why it fails */
    int fd;
} request;

/* ---- What the host and the devices do ---- */

/* What a rank does. Its device has functions that count. */
typedef struct observed {
    const request *request;
    sct_device *device;
    const sct_device_ops *real;
    sct_device_ops counting;
    int rank;
    bool moving; /* a move from or to the host was submitted, and not waited for yet: */
    uint64_t waits;
    int64_t moves, transfers, beside; /* transfers, and those beside a move */
} observed;

static _Thread_local observed *mine;

static bool fails(fault kind, int64_t after) {
    return mine && mine->request->fault == kind && mine->rank == RANKS - 1 && after > 2;
}

static sct_status count_move(sct_stream *stream, const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    observed *o = mine;
    if (command->work != SCT_DO_MOVE ||
        (o->real->can_use(o->device, w->from) && o->real->can_use(o->device, w->to)))
        return o->real->submit(stream, command);
    if (fails(FAILED_MOVE, ++o->moves))
        return sct_fail(SCT_FAILED, "the device is lost");
    o->moving = true;
    o->waits = o->device->waits;
    return o->real->submit(stream, command);
}

static void *refuse_memory(sct_device *device, size_t bytes) {
    return fails(NO_MEMORY, INT64_MAX) ? NULL : mine->real->alloc_host(device, bytes);
}

static void begin_observing(sct_world *world, const request *r, observed *o) {
    *o = (observed){.request = r,
                    .device = world->device,
                    .real = world->device->ops,
                    .counting = *world->device->ops,
                    .rank = sct_world_rank(world)};
    o->counting.submit = count_move;
    o->counting.alloc_host = refuse_memory;
    mine = o;
    world->device->ops = &o->counting;
}

static void end_observing(observed *o) {
    o->device->ops = o->real;
    mine = NULL;
}

static void count_transfer(void) {
    mine->transfers++;
    mine->beside += mine->moving && mine->device->waits == mine->waits;
}

/* The linker has the files' code call these. */
ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at) {
    count_transfer();
    return fails(SHORT_FILE, mine->transfers) ? 0 : __real_pread(fd, to, bytes, at);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at) {
    count_transfer();
    if (!fails(FULL_DISK, mine->transfers))
        return __real_pwrite(fd, from, bytes, at);
    errno = ENOSPC;
    return -1;
}

/* ---- The workers, as far as pieces need them ---- */

sct_status worker_fail(struct worker *worker, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(worker->text, sizeof worker->text, format, list);
    va_end(list);
    return SCT_FAILED;
}

sct_status worker_settle(struct worker *worker, sct_status status) {
    char said[sizeof worker->text];
    snprintf(said, sizeof said, "%s", worker->text[0] ? worker->text : sct_last_reason());
    sct_status agreed = sct_world_check(worker->world, status, status == SCT_OK ? NULL : said);
    if (agreed != SCT_OK && worker->code == CODE_DONE) {
        worker->code = CODE_FAILED;
        snprintf(worker->text, sizeof worker->text, "%s", sct_last_reason());
    }
    return agreed;
}

/* ---- Writing and reading ---- */

static const source from = {7, 100};

static bool is_source(sct_type type, const void *at, bool conjugate, int64_t row, int64_t col) {
    element is = element_get(type, at, 0), want = source_element(type, from, row, col);
    return is.re == want.re && is.im == (conjugate ? -want.im : want.im);
}

static int64_t count_wrong_in_file(const request *r) {
    size_t bytes = sct_type_bytes(r->type);
    int64_t wrong = 0;
    char *all = malloc((size_t)(r->rows * r->cols) * bytes + 1);
    ssize_t size = (ssize_t)((size_t)(r->rows * r->cols) * bytes);
    CHECK(__real_pread(r->fd, all, (size_t)size, HEADER) == size);
    for (int64_t i = 0; i < r->rows; i++)
        for (int64_t j = 0; j < r->cols; j++) {
            int64_t at = r->order == SCT_ROW_MAJOR ? i * r->cols + j : j * r->rows + i;
            wrong += !is_source(r->type, all + (size_t)at * bytes, false, i, j);
        }
    free(all);
    return wrong;
}

typedef struct comparison {
    const request *request;
    int64_t wrong;
} comparison;

static void compare(void *context, int64_t row, int64_t col, void *at) {
    comparison *c = context;
    sct_op op = c->request->op;
    c->wrong += !is_source(c->request->type, at, op == SCT_C, op == SCT_N ? row : col,
                           op == SCT_N ? col : row);
}

/* All transfers but one are beside the move of another piece. The first rank has a share of each.
 */
static void check_overlap(const request *r, const observed *o, const char *what) {
    bool device = o->device->space == SCT_SPACE_DEVICE;
    if (device && r->fault == NO_FAULT && o->rank == 0)
        CHECK_CASE(o->transfers > 3 && o->beside >= o->transfers - 1,
                   "%s, rank %d: of %lld transfers, %lld beside a move", what, o->rank,
                   (long long)o->transfers, (long long)o->beside);
}

static void check_result(const request *r, const struct worker *worker, sct_status status,
                         bool may_fail) {
    if (may_fail)
        CHECK_CASE(status != SCT_OK && strstr(worker->text, r->word), "rank %d: %d, not %s but %s",
                   worker->rank, (int)status, r->word, worker->text);
    else
        CHECK_CASE(status == SCT_OK, "%s", sct_last_reason());
    CHECK(sct_world_barrier(worker->world) == SCT_OK);
}

static void write_file(sct_world *world, const request *r, const struct stored *stored,
                       struct worker *worker) {
    observed o;
    sct_matrix *matrix = matrix_new(world, r->type, r->layout, r->rows, r->cols);
    matrix_fill(world, matrix, from);
    CHECK(sct_world_barrier(world) == SCT_OK);
    begin_observing(world, r, &o);
    check_result(r, worker, piecewise_write(worker, stored, matrix),
                 r->fault != NO_FAULT && r->fault != SHORT_FILE);
    end_observing(&o);
    check_overlap(r, &o, "written");
    if (r->fault == NO_FAULT && o.rank == 0)
        CHECK(count_wrong_in_file(r) == 0);
    sct_matrix_destroy(matrix);
}

static void read_file(sct_world *world, const request *r, const struct stored *stored,
                      struct worker *worker) {
    observed o;
    comparison c = {r, 0};
    bool turned = r->op != SCT_N;
    sct_matrix *matrix = matrix_new(world, r->type, r->read_layout, turned ? r->cols : r->rows,
                                    turned ? r->rows : r->cols);
    begin_observing(world, r, &o);
    check_result(r, worker, piecewise_read(worker, stored, r->op, matrix),
                 r->fault != NO_FAULT && r->fault != FULL_DISK);
    end_observing(&o);
    check_overlap(r, &o, "read");
    if (r->fault == NO_FAULT) {
        matrix_read(world, matrix, compare, &c);
        CHECK_CASE(c.wrong == 0, "%s to %s: %lld are wrong", r->layout, r->read_layout,
                   (long long)c.wrong);
    }
    sct_matrix_destroy(matrix);
}

static int go_round(sct_world *world, void *arg) {
    const request *r = arg;
    const struct npy_header header = {
        .type = r->type, .order = r->order, .rows = r->rows, .cols = r->cols, .offset = HEADER};
    const struct stored stored = {
        .path = "x.npy", .fd = r->fd, .header = &header, .share = r->share};
    struct rank_group group = {.ranks = RANKS};
    struct worker writer = {.group = &group, .world = world, .rank = sct_world_rank(world)};
    struct worker reader = writer;
    write_file(world, r, &stored, &writer);
    read_file(world, r, &stored, &reader);
    return 0;
}

static void run(request r) {
    emulated_options emulated = {
        .host = r.on_host, .ranks_per_node = r.per_node, .delay_us = r.fault == NO_FAULT ? 20 : 0};
    const sct_world_options world = emulated_world(&emulated);
    size_t bytes = (size_t)(r.rows * r.cols) * sct_type_bytes(r.type);
    r.fd = memfd_create("matrix", MFD_CLOEXEC);
    CHECK(r.fd != -1 && ftruncate(r.fd, (off_t)(HEADER + bytes)) == 0);
    CHECK_CASE(sct_run(RANKS, &world, go_round, &r) == SCT_OK, "%s", sct_last_reason());
    close(r.fd);
}

/* ---- Cases ---- */

/* With shares of several lines, or of parts of one. */
static void test_elements(void) {
    static const char *const layouts[] = {"row",      "col/f", "cyclic:3x5",
                                          "2d:1x3/f", "col*3", "cyclic:4x2@3x1/f"};
    enum { LAYOUTS = 6, CASES = 36 };
    for (int i = 0; i < CASES; i++) {
        sct_type type = (sct_type)(i / 3 % 6);
        run((request){.on_host = i % 2 == 0,
                      .per_node = i % 4 < 2 ? 0 : 1,
                      .layout = layouts[i % LAYOUTS],
                      .read_layout = layouts[(i + i / LAYOUTS) % LAYOUTS],
                      .type = type,
                      .order = i / 2 % 2 ? SCT_ROW_MAJOR : SCT_COL_MAJOR,
                      .op = (sct_op)(i % 3),
                      .rows = 37,
                      .cols = 41,
                      .share = (i % 5 == 0 ? 10 : 90) * (int64_t)sct_type_bytes(type)});
    }
}

/* There may also be nothing, or less than there is room for. */
static void test_sizes(void) {
    static const int64_t sizes[][2] = {{0, 5}, {5, 0}, {1, 1}, {3, 2}, {2, 9}};
    for (int i = 0; i < 5; i++)
        run((request){.on_host = true,
                      .layout = "row",
                      .read_layout = "col",
                      .type = SCT_F64,
                      .order = SCT_ROW_MAJOR,
                      .op = SCT_T,
                      .rows = sizes[i][0],
                      .cols = sizes[i][1],
                      .share = i % 2 ? 16 : 0});
}

static void test_failures(void) {
    static const struct {
        fault fault;
        const char *word;
    } faults[] = {{SHORT_FILE, "x.npy: cannot be read: it has become shorter"},
                  {FULL_DISK, "x.npy: cannot be written: No space left"},
                  {FAILED_MOVE, "the device is lost"},
                  {NO_MEMORY, "no memory of the host"}};
    for (int i = 0; i < 4; i++)
        run((request){.layout = "2d:1x3",
                      .read_layout = "row",
                      .type = SCT_F32,
                      .order = SCT_ROW_MAJOR,
                      .rows = 60,
                      .cols = 20,
                      .share = 160,
                      .fault = faults[i].fault,
                      .word = faults[i].word});
}

int main(void) {
    test_elements();
    test_sizes();
    test_failures();
    return check_report("piecewise");
}
