/* fabric_accumulate.c - the rules of accumulate: every contribution of every rank arrives exactly
 * once, even to elements that many ranks update.
 *
 * All numbers are small integers, so sums are exact in any order. Each accumulate is drawn from a
 * sequence that every rank can repeat, so the owner knows what it must find. */
#include "rules/device_memory.h"
#include "rules/fabric_rules.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 2, MOST_LINES = 48, MOST_COUNT = 1500, ADDS = 30, GAP = 3, GUARD = 99 };

/* All ranks have the same shapes except for the number of lines. Block 0 has many lines, so they
 * fall into many lock bands; block 1 has two long lines. */
static sct_memory shape(sct_type type, int rank, int block) {
    size_t bytes = sct_type_bytes(type);
    if (block == 0)
        return (sct_memory){.lines = 41 + rank % 7, .width = 60 * bytes};
    return (sct_memory){.lines = 2, .width = MOST_COUNT * bytes};
}

/* Elements are handled as real parts: two for a complex element. */
static int64_t parts(sct_type type) {
    return sct_type_complex(type) ? 2 : 1;
}

static double part_at(sct_type type, const void *memory, int64_t index) {
    return sct_type_part(type) == SCT_F32 ? (double)((const float *)memory)[index]
                                          : ((const double *)memory)[index];
}

static void set_part(sct_type type, void *memory, int64_t index, double value) {
    if (sct_type_part(type) == SCT_F32)
        ((float *)memory)[index] = (float)value;
    else
        ((double *)memory)[index] = value;
}

/* What a rank adds to part `part` of line `line` of any rectangle. */
static double addend(int rank, int64_t line, int64_t part) {
    return 1 + (double)((rank + 3 * line + part) % 7);
}

/* The shape of the source of all accumulates of a rank to one block of any rank. */
static sct_memory source_shape(sct_type type, int block) {
    sct_memory source = shape(type, 0, block);
    source.lines = block == 0 ? MOST_LINES : source.lines;
    return source;
}

static void *make_source(sct_type type, int rank, int block) {
    sct_memory whole = source_shape(type, block);
    int64_t count = (int64_t)(whole.width / sct_type_bytes(type)) * parts(type);
    void *source = malloc((size_t)whole.lines * whole.width);
    for (int64_t i = 0; i < whole.lines; i++) {
        for (int64_t j = 0; j < count; j++)
            set_part(type, source, i * count + j, addend(rank, i, j));
    }
    return source;
}

static sct_target draw_add(uint64_t *random, sct_type type, sct_segment *segment, int ranks) {
    int rank = (int)check_between(random, 0, ranks - 1);
    int block = (int)check_between(random, 0, BLOCKS - 1);
    sct_memory whole = shape(type, rank, block);
    size_t bytes = sct_type_bytes(type);
    int64_t count = (int64_t)(whole.width / bytes);
    int64_t line = check_between(random, 0, whole.lines), at = check_between(random, 0, count);
    return (sct_target){.segment = segment,
                        .rank = rank,
                        .block = block,
                        .part = {line, (size_t)at * bytes,
                                 check_between(random, 0, whole.lines - line),
                                 (size_t)check_between(random, 0, count - at) * bytes}};
}

/* The expected contents of a rank's blocks, without gaps. */
typedef struct totals {
    double *of[BLOCKS];
} totals;

static totals make_sums(void) {
    totals made;
    for (int b = 0; b < BLOCKS; b++)
        made.of[b] = calloc((size_t)(2 * MOST_LINES * MOST_COUNT), sizeof(double));
    return made;
}

static void free_sums(totals sums) {
    for (int b = 0; b < BLOCKS; b++)
        free(sums.of[b]);
}

static void repeat_add(sct_type type, int from, const sct_target *to, int times, totals *sums) {
    size_t part_bytes = sct_type_bytes(sct_type_part(type));
    int64_t pitch = (int64_t)(shape(type, to->rank, to->block).width / part_bytes);
    double *start =
        sums->of[to->block] + to->part.line * pitch + (int64_t)(to->part.byte / part_bytes);
    for (int64_t i = 0; i < to->part.lines; i++) {
        for (int64_t j = 0; j < (int64_t)(to->part.width / part_bytes); j++)
            start[i * pitch + j] += times * addend(from, i, j);
    }
}

/* Blocks with GAP elements of GUARD after each line. */
static void make_blocks(sct_type type, int rank, sct_memory *blocks) {
    size_t bytes = sct_type_bytes(type);
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b] = shape(type, rank, b);
        blocks[b].pitch = blocks[b].width + GAP * bytes;
        blocks[b].base = malloc((size_t)blocks[b].lines * blocks[b].pitch);
        for (int64_t i = 0; i < blocks[b].lines; i++) {
            char *line = blocks[b].base + (size_t)i * blocks[b].pitch;
            memset(line, 0, blocks[b].width);
            for (int64_t j = 0; j < GAP * parts(type); j++)
                set_part(type, line + blocks[b].width, j, GUARD);
        }
    }
}

static int wrong_in(sct_type type, sct_device *device, const sct_memory *block,
                    const double *expected) {
    size_t bytes = (size_t)block->lines * block->pitch;
    char *memory = malloc(bytes);
    memory_take(device, block->base, memory, bytes);
    size_t part_bytes = sct_type_bytes(sct_type_part(type));
    int64_t width = (int64_t)(block->width / part_bytes);
    int wrong = 0;
    for (int64_t i = 0; i < block->lines; i++) {
        const char *line = memory + (size_t)i * block->pitch;
        for (int64_t j = 0; j < width; j++)
            wrong += part_at(type, line, j) != expected[i * width + j];
        for (int64_t j = width; j < (int64_t)(block->pitch / part_bytes); j++)
            wrong += part_at(type, line, j) != GUARD;
    }
    free(memory);
    return wrong;
}

typedef struct adder {
    sct_fabric *fabric;
    sct_device *device; /* whose memory is used; NULL: that of the host */
    sct_type type;
    sct_segment *segment;
    void *source[BLOCKS];
} adder;

static sct_event add_start(const adder *work, const sct_target *to) {
    sct_event event = {.ops = NULL};
    CHECK(sct_fabric_accumulate(work->fabric, NULL, work->type, work->source[to->block],
                                source_shape(work->type, to->block).width, to, &event) == SCT_OK);
    return event;
}

static void wait_in_any_order(uint64_t *random, int count, sct_event *events) {
    for (int left = count; left > 0; left--) {
        int64_t i = check_between(random, 0, left - 1);
        CHECK(sct_event_wait(events[i]) == SCT_OK);
        CHECK(sct_event_done(events[i]));
        events[i] = events[left - 1];
    }
}

/* Random overlapping rectangles, all in flight at once. */
static void add_rectangles(const adder *work, uint64_t seed, totals *sums) {
    sct_fabric *fabric = work->fabric;
    sct_event events[ADDS];
    uint64_t random = seed + (uint64_t)fabric->rank, expected = fabric->bytes_accumulated;
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    for (int i = 0; i < ADDS; i++) {
        sct_target to = draw_add(&random, work->type, work->segment, fabric->size);
        events[i] = add_start(work, &to);
        expected += to.rank == fabric->rank ? 0 : (uint64_t)to.part.lines * to.part.width;
    }
    CHECK_CASE(fabric->bytes_accumulated == expected, "counted %llu bytes added instead of %llu",
               (unsigned long long)fabric->bytes_accumulated, (unsigned long long)expected);
    wait_in_any_order(&random, ADDS, events);
    for (int r = 0; r < fabric->size; r++) {
        random = seed + (uint64_t)r;
        for (int i = 0; i < ADDS; i++) {
            sct_target to = draw_add(&random, work->type, NULL, fabric->size);
            if (to.rank == fabric->rank)
                repeat_add(work->type, r, &to, 1, sums);
        }
    }
}

/* In even turns all ranks add to one line. In odd turns some ranks start a line later, so that
 * their rectangles overlap in part. */
static sct_target long_lines(const adder *work, int turn, int from, int to) {
    sct_memory whole = shape(work->type, to, 1);
    int64_t line = turn % 2 == 0 ? 0 : from % 2;
    int64_t end = turn % 2 == 0 ? 1 : whole.lines;
    return (sct_target){work->segment, to, 1, {line, 0, end - line, whole.width}};
}

/* All ranks add to the same rank at the same time: without the lock, some contributions are lost.
 */
static void add_lines(const adder *work, totals *sums) {
    sct_fabric *fabric = work->fabric;
    int pairs = 2 + (fabric->size > 1 ? 50 / (fabric->size * fabric->size) : 0);
    for (int turn = 0; turn < 2 * pairs; turn++) {
        for (int r = 0; r < fabric->size; r++) {
            sct_target to = long_lines(work, turn, fabric->rank, r);
            CHECK(fabric->ops->barrier(fabric) == SCT_OK);
            sct_event first = add_start(work, &to), second = add_start(work, &to);
            CHECK(sct_event_wait(second) == SCT_OK);
            CHECK(sct_event_wait(first) == SCT_OK);
        }
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int r = 0; r < fabric->size; r++) {
            sct_target to = long_lines(work, turn, r, fabric->rank);
            repeat_add(work->type, r, &to, 2 * pairs, sums);
        }
    }
}

/* Memory of the fabric, set to 0. Its blocks have no gaps, so no guard elements. */
static sct_status open_blocks(adder *work, sct_memory *blocks) {
    sct_fabric *fabric = work->fabric;
    for (int b = 0; b < BLOCKS; b++)
        blocks[b] = shape(work->type, fabric->rank, b);
    sct_status status = fabric->ops->segment_open(fabric, BLOCKS, blocks, &work->segment);
    for (int b = 0; b < BLOCKS && !status; b++) {
        size_t bytes = (size_t)blocks[b].lines * blocks[b].width;
        char *zeros = calloc(bytes, 1);
        memory_put(work->device, blocks[b].base, zeros, bytes);
        free(zeros);
    }
    return status;
}

static void add_all(adder *work, uint64_t seed, bool wraps, sct_memory *blocks, totals *sums) {
    sct_fabric *fabric = work->fabric;
    add_rectangles(work, seed, sums);
    add_lines(work, sums);
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    for (int b = 0; b < BLOCKS; b++) {
        int wrong = wrong_in(work->type, wraps ? NULL : work->device, &blocks[b], sums->of[b]);
        CHECK_CASE(wrong == 0, "%d wrong sums in block %d, %s, rank %d of %d", wrong, b,
                   sct_type_name(work->type), fabric->rank, fabric->size);
    }
}

static sct_status wrap_blocks(adder *work, sct_memory *blocks) {
    make_blocks(work->type, work->fabric->rank, blocks);
    return work->fabric->ops->segment_wrap(work->fabric, BLOCKS, blocks, &work->segment);
}

/* The source for a block in memory of the host, or of the device. */
static void *place_source(sct_device *device, sct_type type, int block, void *source) {
    sct_memory whole = source_shape(type, block);
    size_t bytes = (size_t)whole.lines * whole.width;
    if (!device)
        return source;
    void *placed = memory_new(device, bytes, 0);
    memory_put(device, placed, source, bytes);
    free(source);
    return placed;
}

static void rule_sums(sct_fabric *fabric, sct_device *device, uint64_t seed, sct_type type,
                      bool wraps) {
    sct_device *apart = (type == SCT_F64) == wraps ? device : NULL; /* of the source */
    adder work = {.fabric = fabric, .device = device, .type = type};
    totals sums = make_sums();
    sct_memory blocks[BLOCKS];
    for (int b = 0; b < BLOCKS; b++)
        work.source[b] = place_source(apart, type, b, make_source(type, fabric->rank, b));
    if (CHECK((wraps ? wrap_blocks(&work, blocks) : open_blocks(&work, blocks)) == SCT_OK)) {
        add_all(&work, seed, wraps, blocks, &sums);
        fabric->ops->segment_close(work.segment);
    }
    for (int b = 0; b < BLOCKS; b++) {
        memory_free(apart, work.source[b]);
        if (wraps)
            free(blocks[b].base);
    }
    free_sums(sums);
}

/* Closing wrapped memory completes additions that nobody has waited for. */
static void rule_close(sct_fabric *fabric) {
    adder work = {.fabric = fabric, .type = SCT_F64};
    totals sums = make_sums();
    sct_memory blocks[BLOCKS];
    work.source[1] = make_source(work.type, fabric->rank, 1);
    if (CHECK(wrap_blocks(&work, blocks) == SCT_OK)) {
        for (int r = 0; r < fabric->size; r++) {
            sct_target to = long_lines(&work, 1, fabric->rank, r);
            add_start(&work, &to);
            to = long_lines(&work, 1, r, fabric->rank);
            repeat_add(work.type, r, &to, 1, &sums);
        }
        fabric->ops->segment_close(work.segment);
        CHECK(wrong_in(work.type, NULL, &blocks[1], sums.of[1]) == 0);
    }
    free(work.source[1]);
    for (int b = 0; b < BLOCKS; b++)
        free(blocks[b].base);
    free_sums(sums);
}

void fabric_rules_accumulate(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    for (int type = SCT_F32; type <= SCT_CF64; type++)
        for (int wraps = 0; wraps < 2; wraps++)
            rule_sums(fabric, device, seed + (uint64_t)(2 * type + wraps) * 100, (sct_type)type,
                      wraps);
    rule_close(fabric);
}
