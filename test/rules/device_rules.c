/* device_rules.c - what every device must do: arithmetic, order of commands, events. */
#include "rules/device_rules.h"

#include "base/strided.h"
#include "support/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_TYPES = 4, TYPES = 6 };

typedef struct rules {
    const sct_device_ops *ops;
    sct_device *device;
    sct_stream *stream;
    uint64_t random;
} rules;

/* ---- Helpers ---- */

static sct_stream *open_stream(rules *r) {
    sct_stream *stream = NULL;
    CHECK(r->ops->stream_open(r->device, &stream) == SCT_OK);
    return stream;
}

static void submit(rules *r, sct_stream *stream, const sct_command *command) {
    CHECK(r->ops->submit(stream, command) == SCT_OK);
}

/* A command on `count` contiguous elements. */
static void submit_line(rules *r, sct_stream *stream, sct_work work, sct_type type, int64_t count,
                        const void *from, void *to, double factor) {
    sct_command command = {.work = work,
                           .type = type,
                           .strided = {.lines = 1,
                                       .count = count,
                                       .from = from,
                                       .from_ld = count,
                                       .to = to,
                                       .to_ld = count,
                                       .factor = sct_scalar_real(type, factor)}};
    submit(r, stream, &command);
}

static void copy_line(rules *r, sct_stream *stream, sct_type type, int64_t count, const void *from,
                      void *to) {
    submit_line(r, stream, SCT_DO_COPY, type, count, from, to, 1);
}

/* Moves bytes between the host and the device. */
static void move_bytes(rules *r, sct_stream *stream, size_t bytes, const void *from, void *to) {
    submit_line(r, stream, SCT_DO_MOVE, SCT_F32, (int64_t)bytes, from, to, 1);
}

static void *device_alloc(rules *r, size_t bytes) {
    void *memory = r->ops->alloc(r->device, bytes);
    CHECK(memory != NULL);
    return memory;
}

static void wait_for(rules *r, sct_stream *stream) {
    CHECK(r->ops->wait(r->ops->record(stream)) == SCT_OK);
}

/* Device memory, and host memory that holds what it should contain. */
typedef struct twin {
    sct_type type;
    int64_t count;
    void *device, *host;
} twin;

static twin twin_new(rules *r, sct_type type, int64_t count) {
    size_t bytes = (size_t)count * sct_type_bytes(type);
    return (twin){type, count, device_alloc(r, bytes), malloc(bytes)};
}

static size_t twin_bytes(twin t) {
    return (size_t)t.count * sct_type_bytes(t.type);
}

static void twin_upload(rules *r, twin t) {
    move_bytes(r, r->stream, twin_bytes(t), t.host, t.device);
    wait_for(r, r->stream);
}

static twin twin_random(rules *r, sct_type type, int64_t count) {
    twin t = twin_new(r, type, count);
    elements_fill(type, t.host, count, &r->random);
    twin_upload(r, t);
    return t;
}

/* Whether the two are equal once all commands of r->stream are done. */
static bool twin_agrees(rules *r, twin t) {
    void *result = malloc(twin_bytes(t));
    move_bytes(r, r->stream, twin_bytes(t), t.device, result);
    wait_for(r, r->stream);
    bool agrees = elements_equal(t.type, result, t.host, t.count);
    free(result);
    return agrees;
}

static void twin_free(rules *r, twin t) {
    r->ops->release(r->device, t.device);
    free(t.host);
}

/* ---- Memory ---- */

static void rule_alloc(rules *r) {
    static const size_t sizes[] = {1, 8, 63, 64, 65, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *memory = device_alloc(r, sizes[i]);
        CHECK_CASE((uintptr_t)memory % 64 == 0, "%zu bytes are aligned", sizes[i]);
        CHECK(r->ops->can_use(r->device, memory));
        CHECK(r->ops->can_use(r->device, (char *)memory + sizes[i] - 1));
        r->ops->release(r->device, memory);
        memory = r->ops->alloc_host(r->device, sizes[i]);
        if (!CHECK(memory && (uintptr_t)memory % 64 == 0))
            continue;
        CHECK(r->ops->can_use(r->device, memory) == (r->device->space == SCT_SPACE_HOST));
        memset(memory, 1, sizes[i]);
        r->ops->release_host(r->device, memory);
    }
}

/* ---- Between the host and the device ---- */

/* A rectangle with lines that begin anywhere, from one kind of memory into the other. */
static void rule_transfer(rules *r, bool up) {
    int64_t lines = check_between(&r->random, 0, 20), width = check_between(&r->random, 0, 30);
    int64_t from_pitch = width + check_between(&r->random, 0, 9);
    int64_t to_pitch = width + check_between(&r->random, 0, 9);
    int64_t skip = check_between(&r->random, 0, 5);
    twin from = twin_random(r, SCT_F32, lines * from_pitch + skip + 1);
    twin to = twin_random(r, SCT_F32, lines * to_pitch + skip + 1);
    void *result = malloc(twin_bytes(to));
    memcpy(result, to.host, twin_bytes(to));
    sct_command command = {.work = SCT_DO_MOVE,
                           .strided = {.lines = lines,
                                       .count = width,
                                       .from = (char *)(up ? from.host : from.device) + skip,
                                       .from_ld = from_pitch,
                                       .to = (char *)(up ? to.device : result) + skip,
                                       .to_ld = to_pitch}};
    submit(r, r->stream, &command);
    sct_strided_move(lines, (size_t)width, (char *)from.host + skip, (size_t)from_pitch,
                     (char *)to.host + skip, (size_t)to_pitch);
    wait_for(r, r->stream);
    CHECK_CASE(up ? twin_agrees(r, to) : memcmp(result, to.host, twin_bytes(to)) == 0,
               "%lld lines of %lld bytes %s the device", (long long)lines, (long long)width,
               up ? "to" : "from");
    free(result);
    twin_free(r, from);
    twin_free(r, to);
}

/* ---- Strided commands ---- */

/* Applies the command to the host memory. */
static void expect(const sct_command *c, const void *from, void *to) {
    const sct_strided_work *w = &c->strided;
    if (c->work == SCT_DO_COPY)
        sct_strided_copy(c->type, w->conjugate, w->lines, w->count, from, w->from_ld, to, w->to_ld);
    else if (c->work == SCT_DO_TRANSPOSE)
        sct_strided_transpose(c->type, w->conjugate, w->lines, w->count, from, w->from_ld, to,
                              w->to_ld);
    else if (c->work == SCT_DO_CONVERT)
        sct_strided_convert(c->type, w->to_type, w->lines, w->count, from, w->from_ld, to,
                            w->to_ld);
    else if (c->work == SCT_DO_ADD)
        sct_strided_add(c->type, w->lines, w->count, from, w->from_ld, to, w->to_ld);
    else
        sct_strided_scale(c->type, w->lines, w->count, w->factor, to, w->to_ld);
}

static void rule_strided(rules *r, sct_work work, sct_type type, sct_type to_type, bool conjugate) {
    int64_t lines = check_between(&r->random, 0, 40), count = check_between(&r->random, 0, 40);
    int64_t to_lines = work == SCT_DO_TRANSPOSE ? count : lines;
    int64_t to_count = work == SCT_DO_TRANSPOSE ? lines : count;
    int64_t from_ld = count + check_between(&r->random, 0, 3);
    int64_t to_ld = to_count + check_between(&r->random, 0, 3);
    twin from = twin_random(r, type, lines * from_ld + 1);
    twin to = twin_random(r, to_type, to_lines * to_ld + 1);
    sct_command command = {
        .work = work,
        .type = type,
        .strided = {.lines = lines,
                    .count = count,
                    .from = from.device,
                    .from_ld = from_ld,
                    .to = to.device,
                    .to_ld = to_ld,
                    .conjugate = conjugate,
                    .to_type = to_type,
                    .factor = element_scalar(type, element_random(type, &r->random))}};
    submit(r, r->stream, &command);
    expect(&command, from.host, to.host);
    CHECK_CASE(twin_agrees(r, to), "work %d on %s, conjugated %d, %lld lines of %lld", work,
               sct_type_name(type), conjugate, (long long)lines, (long long)count);
    twin_free(r, from);
    twin_free(r, to);
}

/* ---- Products ---- */

static int64_t index_of(sct_order order, int64_t ld, int64_t row, int64_t col) {
    return order == SCT_ROW_MAJOR ? row * ld + col : col * ld + row;
}

static element operand(sct_type type, sct_order order, sct_op op, const void *x, int64_t ld,
                       int64_t row, int64_t col) {
    element e = element_get(
        type, x, op == SCT_N ? index_of(order, ld, row, col) : index_of(order, ld, col, row));
    return op == SCT_C ? element_conjugate(e) : e;
}

static void expect_gemm(sct_type type, const sct_gemm_work *w, const void *a, const void *b,
                        void *c) {
    element alpha = element_get(type, &w->alpha, 0), beta = element_get(type, &w->beta, 0);
    for (int64_t i = 0; i < w->m; i++) {
        for (int64_t j = 0; j < w->n; j++) {
            element sum = {0, 0};
            for (int64_t l = 0; l < w->k; l++)
                sum = element_plus(
                    sum, element_times(operand(type, w->order, w->op_a, a, w->lda, i, l),
                                       operand(type, w->order, w->op_b, b, w->ldb, l, j)));
            int64_t at = index_of(w->order, w->ldc, i, j);
            sum = element_times(alpha, sum);
            if (!sct_scalar_is(type, w->beta, 0))
                sum = element_plus(sum, element_times(beta, element_get(type, c, at)));
            element_put(type, c, at, sum);
        }
    }
}

/* A random matrix, stored so that op makes it rows x cols, with gaps between its lines. */
static twin matrix_new(rules *r, sct_type type, sct_order order, sct_op op, int64_t rows,
                       int64_t cols, int64_t *ld) {
    bool lines_are_rows = (order == SCT_ROW_MAJOR) == (op == SCT_N);
    *ld = (lines_are_rows ? cols : rows) + check_between(&r->random, 0, 3);
    return twin_random(r, type, (lines_are_rows ? rows : cols) * *ld);
}

/* Sets all elements to NaN, and the gaps, where the NaN must stay. */
static void poison(rules *r, twin t) {
    for (int64_t i = 0; i < t.count; i++)
        element_put(t.type, t.host, i, (element){NAN, NAN});
    twin_upload(r, t);
}

static void rule_gemm(rules *r, sct_type type, sct_order order, sct_op op_a, sct_op op_b,
                      bool beta_is_zero) {
    sct_gemm_work w = {.order = order, .op_a = op_a, .op_b = op_b};
    w.m = check_between(&r->random, 1, 20);
    w.n = check_between(&r->random, 1, 20);
    w.k = check_between(&r->random, 1, 20);
    bool both = sct_type_complex(type);
    w.alpha = element_scalar(type, (element){2, both ? -1 : 0});
    w.beta = element_scalar(type, beta_is_zero ? (element){0, 0} : (element){-3, both ? 2 : 0});
    twin a = matrix_new(r, type, order, op_a, w.m, w.k, &w.lda);
    twin b = matrix_new(r, type, order, op_b, w.k, w.n, &w.ldb);
    twin c = matrix_new(r, type, order, SCT_N, w.m, w.n, &w.ldc);
    if (beta_is_zero)
        poison(r, c);
    expect_gemm(type, &w, a.host, b.host, c.host);
    w.a = a.device;
    w.b = b.device;
    w.c = c.device;
    submit(r, r->stream, &(sct_command){.work = SCT_DO_GEMM, .type = type, .gemm = w});
    CHECK_CASE(twin_agrees(r, c), "%s, order %d, ops %d %d, %lldx%lldx%lld, beta %s zero",
               sct_type_name(type), order, op_a, op_b, (long long)w.m, (long long)w.n,
               (long long)w.k, beta_is_zero ? "is" : "is not");
    twin_free(r, a);
    twin_free(r, b);
    twin_free(r, c);
}

static void rule_commands(rules *r, sct_type type) {
    static const sct_work works[] = {SCT_DO_COPY, SCT_DO_TRANSPOSE, SCT_DO_ADD, SCT_DO_SCALE};
    for (int i = 0; i < 80; i++)
        rule_strided(r, works[i % 4], type, type, i / 4 % 2);
    for (int i = 0; i < 2 * 3 * 3 * 2; i++)
        rule_gemm(r, type, (sct_order)(i % 2), (sct_op)(i / 2 % 3), (sct_op)(i / 6 % 3), i / 18);
}

/* For f16 and bf16, which have no sums: copies, transposes and conversions only. */
static void rule_moves(rules *r, sct_type type) {
    for (int i = 0; i < 20; i++) {
        rule_strided(r, SCT_DO_COPY, type, type, i % 2);
        rule_strided(r, SCT_DO_TRANSPOSE, type, type, i % 2);
        rule_strided(r, SCT_DO_CONVERT, type, SCT_F32, false);
        rule_strided(r, SCT_DO_CONVERT, SCT_F32, type, false);
    }
}

/* ---- Order ---- */

/* A random command between two pairs of memory; such commands do not commute. */
static void random_step(rules *r, sct_stream *stream, twin x, twin y) {
    sct_work work =
        (sct_work[]){SCT_DO_COPY, SCT_DO_ADD, SCT_DO_SCALE}[check_random(&r->random) % 3];
    bool forth = check_between(&r->random, 0, 1);
    twin from = forth ? x : y, to = forth ? y : x;
    int64_t count = check_between(&r->random, 1, x.count);
    sct_command command = {.work = work,
                           .type = x.type,
                           .strided = {.lines = 1,
                                       .count = count,
                                       .from = from.device,
                                       .from_ld = count,
                                       .to = to.device,
                                       .to_ld = count,
                                       .factor = sct_scalar_real(x.type, -1)}};
    submit(r, stream, &command);
    expect(&command, from.host, to.host);
}

/* A long chain of commands on several streams in turn, each of which follows the one before. */
static void rule_chain(rules *r, int streams, int steps) {
    sct_stream *stream[3];
    for (int s = 0; s < streams; s++)
        stream[s] = open_stream(r);
    twin x = twin_random(r, SCT_F64, 30), y = twin_random(r, SCT_F64, 30);
    sct_event last = {0};
    for (int i = 0; i < steps; i++) {
        sct_stream *next = stream[i % streams];
        CHECK(r->ops->follow(next, last) == SCT_OK);
        random_step(r, next, x, y);
        last = r->ops->record(next);
    }
    CHECK(r->ops->wait(last) == SCT_OK);
    CHECK_CASE(twin_agrees(r, x) && twin_agrees(r, y), "%d steps on %d streams", steps, streams);
    for (int s = 0; s < streams; s++)
        r->ops->stream_close(stream[s]);
    twin_free(r, x);
    twin_free(r, y);
}

/* One stream fills a buffer and another empties it; neither may overtake the other. */
static void rule_producer(rules *r, int64_t rounds) {
    enum { COUNT = 100 };
    sct_stream *producer = open_stream(r), *consumer = open_stream(r);
    twin source = twin_random(r, SCT_F32, rounds * COUNT);
    twin target = twin_random(r, SCT_F32, rounds * COUNT);
    float *slot = device_alloc(r, COUNT * sizeof *slot);
    sct_event emptied = {0};
    for (int64_t i = 0; i < rounds; i++) {
        CHECK(r->ops->follow(producer, emptied) == SCT_OK);
        copy_line(r, producer, SCT_F32, COUNT, (float *)source.device + i * COUNT, slot);
        CHECK(r->ops->follow(consumer, r->ops->record(producer)) == SCT_OK);
        copy_line(r, consumer, SCT_F32, COUNT, slot, (float *)target.device + i * COUNT);
        emptied = r->ops->record(consumer);
    }
    sct_strided_copy(SCT_F32, false, 1, target.count, source.host, 0, target.host, 0);
    CHECK(r->ops->wait(emptied) == SCT_OK);
    CHECK_CASE(twin_agrees(r, target), "%lld rounds through one slot", (long long)rounds);
    r->ops->stream_close(producer);
    r->ops->stream_close(consumer);
    r->ops->release(r->device, slot);
    twin_free(r, source);
    twin_free(r, target);
}

/* ---- Events and closing ---- */

static void rule_events(rules *r) {
    enum { EVENTS = 30 };
    twin from = twin_random(r, SCT_F64, EVENTS);
    double to[EVENTS] = {0};
    sct_event events[EVENTS], none = {0};
    CHECK(r->ops->done(none) && r->ops->wait(none) == SCT_OK);
    for (int i = 0; i < EVENTS; i++) {
        move_bytes(r, r->stream, sizeof *to, (double *)from.device + i, &to[i]);
        events[i] = r->ops->record(r->stream);
    }
    for (int i = 4; i < EVENTS; i += 5) {
        CHECK(r->ops->wait(events[i]) == SCT_OK);
        for (int before = 0; before <= i; before++)
            CHECK(r->ops->done(events[before]) && to[before] == ((double *)from.host)[before]);
    }
    move_bytes(r, r->stream, sizeof *to, (double *)from.device + 1, &to[0]);
    sct_event last = r->ops->record(r->stream);
    while (!r->ops->done(last))
        continue;
    CHECK(to[0] == ((double *)from.host)[1]);
    twin_free(r, from);
}

/* When a stream has closed, all its commands are done. Its events can still be tested, waited for
 * and followed, and another stream can be opened. */
static void rule_close(rules *r) {
    enum { COMMANDS = 150 };
    twin from = twin_random(r, SCT_F64, COMMANDS);
    double to[COMMANDS] = {0};
    sct_stream *stream = open_stream(r);
    for (int i = 0; i < COMMANDS; i++)
        move_bytes(r, stream, sizeof *to, (double *)from.device + i, &to[i]);
    sct_event last = r->ops->record(stream);
    r->ops->stream_close(stream);
    CHECK(memcmp(to, from.host, sizeof to) == 0);
    twin_free(r, from);
    CHECK(r->ops->done(last) && r->ops->wait(last) == SCT_OK);
    CHECK(r->ops->follow(r->stream, last) == SCT_OK);
    wait_for(r, r->stream);
}

void device_rules(sct_device *device, uint64_t seed, int rounds) {
    rules r = {.ops = device->ops, .device = device, .random = seed};
    r.stream = open_stream(&r);
    rule_alloc(&r);
    for (int i = 0; i < 40; i++)
        rule_transfer(&r, i % 2);
    for (int t = 0; t < SUM_TYPES; t++)
        rule_commands(&r, (sct_type)t);
    for (int t = SUM_TYPES; t < TYPES; t++)
        rule_moves(&r, (sct_type)t);
    for (int i = 0; i < rounds; i++) {
        for (int streams = 1; streams <= 3; streams++)
            rule_chain(&r, streams, 40);
        rule_producer(&r, 40);
        rule_events(&r);
        rule_close(&r);
    }
    r.ops->stream_close(r.stream);
}
