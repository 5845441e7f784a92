/* device_rules.c - what every device must do: memory, moves, arithmetic. */
#include "rules/device_rules.h"

#include "base/strided.h"
#include "rules/device_twin.h"
#include "support/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_TYPES = 4, TYPES = 6 };

/* ---- Memory ---- */

static void rule_alloc(rules *r) {
    static const size_t sizes[] = {1, 8, 63, 64, 65, 1000, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *memory = rules_alloc(r, sizes[i]);
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
    rules_submit(r, r->stream, &command);
    sct_strided_move(lines, (size_t)width, (char *)from.host + skip, (size_t)from_pitch,
                     (char *)to.host + skip, (size_t)to_pitch);
    rules_wait(r, r->stream);
    CHECK_CASE(up ? twin_agrees(r, to) : memcmp(result, to.host, twin_bytes(to)) == 0,
               "%lld lines of %lld bytes %s the device", (long long)lines, (long long)width,
               up ? "to" : "from");
    free(result);
    twin_free(r, from);
    twin_free(r, to);
}

/* Between memory for fast moves and the device, and between two pieces of such memory by way of it.
 */
static void rule_host_memory(rules *r) {
    size_t bytes = (size_t)check_between(&r->random, 1, 300000);
    size_t at = (size_t)check_between(&r->random, 0, (int64_t)bytes - 1);
    unsigned char *from = r->ops->alloc_host(r->device, bytes);
    unsigned char *to = r->ops->alloc_host(r->device, bytes);
    unsigned char *between = rules_alloc(r, bytes);
    if (CHECK(from && to)) {
        for (size_t i = 0; i < bytes; i++)
            from[i] = (unsigned char)check_random(&r->random);
        memset(to, 0, bytes);
        bool within_host = r->device->space == SCT_SPACE_HOST;
        CHECK(within_host || !r->ops->can_use(r->device, from + at));
        rules_move_bytes(r, r->stream, bytes, from, between);
        rules_move_bytes(r, r->stream, bytes - at, between + at, to + at);
        rules_wait(r, r->stream);
        CHECK_CASE(memcmp(to + at, from + at, bytes - at) == 0, "%zu bytes from %zu", bytes, at);
        for (size_t i = 0; i < at; i++)
            CHECK(to[i] == 0);
    }
    r->ops->release_host(r->device, from);
    r->ops->release_host(r->device, to);
    r->ops->release(r->device, between);
}

/* ---- Strided commands ---- */

/* A block, and how far apart its lines are beyond their length, here and where they go. */
typedef struct shape {
    int64_t lines, count, from_gap, to_gap;
} shape;

static void rule_block(rules *r, shape s, sct_work work, sct_type type, sct_type to_type,
                       bool conjugate) {
    int64_t to_lines = work == SCT_DO_TRANSPOSE ? s.count : s.lines;
    int64_t to_count = work == SCT_DO_TRANSPOSE ? s.lines : s.count;
    int64_t from_ld = s.count + s.from_gap, to_ld = to_count + s.to_gap;
    twin from = twin_random(r, type, s.lines * from_ld + 1);
    twin to = twin_random(r, to_type, to_lines * to_ld + 1);
    sct_command command = {
        .work = work,
        .type = type,
        .strided = {.lines = s.lines,
                    .count = s.count,
                    .from = from.device,
                    .from_ld = from_ld,
                    .to = to.device,
                    .to_ld = to_ld,
                    .conjugate = conjugate,
                    .to_type = to_type,
                    .factor = element_scalar(type, element_random(type, &r->random))}};
    rules_submit(r, r->stream, &command);
    rules_expect(&command, from.host, to.host);
    CHECK_CASE(twin_agrees(r, to), "work %d on %s, conjugated %d, %lld lines of %lld", work,
               sct_type_name(type), conjugate, (long long)s.lines, (long long)s.count);
    twin_free(r, from);
    twin_free(r, to);
}

static void rule_strided(rules *r, sct_work work, sct_type type, sct_type to_type, bool conjugate) {
    shape s = {check_between(&r->random, 0, 40), check_between(&r->random, 0, 40),
               check_between(&r->random, 0, 3), check_between(&r->random, 0, 3)};
    rule_block(r, s, work, type, to_type, conjugate);
}

/* Devices run groups of work items in grids, some of which are at most 65535 groups high. */
static void rule_many_lines(rules *r) {
    const shape high = {65539, 2, 1, 1}, wide = {2, 65539, 1, 1};
    rule_block(r, high, SCT_DO_COPY, SCT_F32, SCT_F32, false);
    rule_block(r, wide, SCT_DO_TRANSPOSE, SCT_F32, SCT_F32, false);
    rule_block(r, high, SCT_DO_ADD, SCT_F64, SCT_F64, false);
    rule_block(r, high, SCT_DO_SCALE, SCT_CF32, SCT_CF32, false);
    rule_block(r, high, SCT_DO_CONVERT, SCT_BF16, SCT_F32, false);
}

/* Of a line that is longer than a grid, a work item has several elements. */
static void rule_long_line(rules *r) {
    const shape line = {1, (1 << 22) + 300, 0, 0};
    rule_block(r, line, SCT_DO_ADD, SCT_F32, SCT_F32, false);
    rule_block(r, line, SCT_DO_CONVERT, SCT_BF16, SCT_F32, false);
}

/* Widens elements that are the upper half of where they go. */
static void rule_widen_in_place(rules *r, sct_type type, int64_t count) {
    twin block = twin_random(r, SCT_F32, count);
    ptrdiff_t half = count * (ptrdiff_t)sct_type_bytes(type);
    sct_command command = {.work = SCT_DO_CONVERT,
                           .type = type,
                           .strided = {.lines = 1,
                                       .count = count,
                                       .from = (char *)block.device + half,
                                       .from_ld = count,
                                       .to = block.device,
                                       .to_ld = count,
                                       .to_type = SCT_F32}};
    rules_submit(r, r->stream, &command);
    rules_expect(&command, (char *)block.host + half, block.host);
    CHECK_CASE(twin_agrees(r, block), "%lld elements of %s in place", (long long)count,
               sct_type_name(type));
    twin_free(r, block);
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
    rules_submit(r, r->stream, &(sct_command){.work = SCT_DO_GEMM, .type = type, .gemm = w});
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
    rule_widen_in_place(r, type, check_between(&r->random, 1, 1000));
    rule_widen_in_place(r, type, check_between(&r->random, 600000, 1200000)); /* several MiB */
}

void device_rules(sct_device *device, uint64_t seed, int rounds) {
    rules r = {.ops = device->ops, .device = device, .random = seed};
    r.stream = rules_open_stream(&r);
    rule_alloc(&r);
    for (int i = 0; i < 40; i++)
        rule_transfer(&r, i % 2);
    for (int i = 0; i < 10; i++)
        rule_host_memory(&r);
    for (int t = 0; t < SUM_TYPES; t++)
        rule_commands(&r, (sct_type)t);
    for (int t = SUM_TYPES; t < TYPES; t++)
        rule_moves(&r, (sct_type)t);
    rule_many_lines(&r);
    rule_long_line(&r);
    for (int i = 0; i < rounds; i++)
        rules_of_order(&r);
    r.ops->stream_close(r.stream);
}
