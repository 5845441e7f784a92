/* fabric_memory.c - the rules of segments, peers and gets.
 *
 * Every rank knows the blocks of all ranks: their shapes are drawn from the seed, and each byte is
 * a function of its place. */
#include "rules/device_memory.h"
#include "rules/fabric_rules.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 5, MOST_LINES = 40, MOST_WIDTH = 90, MOST_PADDING = 17, GUARD = 0x5a };

/* Draws the shapes of a rank's blocks, and returns how many there are. */
static int draw_shapes(uint64_t seed, int rank, sct_memory *blocks) {
    uint64_t random = seed + (uint64_t)rank * 1000;
    int count = (int)check_between(&random, 0, MOST_BLOCKS);
    for (int b = 0; b < count; b++) {
        blocks[b] = (sct_memory){.lines = check_between(&random, 0, MOST_LINES),
                                 .width = (size_t)check_between(&random, 0, MOST_WIDTH)};
        if (check_between(&random, 0, 5) == 0)
            blocks[b].lines = 0;
        if (check_between(&random, 0, 5) == 0)
            blocks[b].width = 0;
    }
    return count;
}

static char mark(uint64_t seed, int rank, int block, int64_t line, size_t byte) {
    uint64_t place = (((uint64_t)rank * 64 + (uint64_t)block) * 1024 + (uint64_t)line) * 1024;
    return (char)(((seed + place + byte) * 0x9e3779b97f4a7c15u) >> 56);
}

/* What the block contains, with GUARD between its lines. */
static char *make_marks(uint64_t seed, int rank, int b, const sct_memory *block) {
    size_t bytes = (size_t)block->lines * block->pitch;
    char *marks = malloc(bytes + 1);
    memset(marks, GUARD, bytes + 1);
    for (int64_t i = 0; i < block->lines; i++)
        for (size_t j = 0; j < block->width; j++)
            marks[(size_t)i * block->pitch + j] = mark(seed, rank, b, i, j);
    return marks;
}

static void fill(uint64_t seed, sct_device *device, int rank, int count, const sct_memory *blocks) {
    for (int b = 0; b < count; b++) {
        char *marks = make_marks(seed, rank, b, &blocks[b]);
        memory_put(device, blocks[b].base, marks, (size_t)blocks[b].lines * blocks[b].pitch);
        free(marks);
    }
}

/* Whether `memory` holds what fill() wrote to the rectangle, and GUARD between its lines. */
static bool holds(uint64_t seed, const sct_target *target, const char *memory, size_t pitch) {
    int wrong = 0;
    for (int64_t i = 0; i < target->part.lines; i++) {
        const char *line = memory + (size_t)i * pitch;
        for (size_t j = 0; j < target->part.width; j++)
            wrong += line[j] != mark(seed, target->rank, target->block, target->part.line + i,
                                     target->part.byte + j);
        for (size_t j = target->part.width; j < pitch; j++)
            wrong += line[j] != GUARD;
    }
    return wrong == 0;
}

static bool all_hold(uint64_t seed, sct_device *device, int rank, int count,
                     const sct_memory *blocks) {
    bool held = true;
    for (int b = 0; b < count; b++) {
        sct_target whole = {
            .rank = rank, .block = b, .part = {0, 0, blocks[b].lines, blocks[b].width}};
        size_t bytes = (size_t)blocks[b].lines * blocks[b].pitch;
        char *memory = malloc(bytes + 1);
        memory_take(device, blocks[b].base, memory, bytes);
        held = holds(seed, &whole, memory, blocks[b].pitch) && held;
        free(memory);
    }
    return held;
}

/* A random rectangle of any rank's block: sometimes the whole block, sometimes empty. */
static sct_target draw_target(uint64_t seed, uint64_t *random, sct_segment *segment, int ranks) {
    sct_memory blocks[MOST_BLOCKS];
    int rank, count;
    do {
        rank = (int)check_between(random, 0, ranks - 1);
        count = draw_shapes(seed, rank, blocks);
    } while (count == 0);
    int block = (int)check_between(random, 0, count - 1);
    int64_t lines = blocks[block].lines, width = (int64_t)blocks[block].width;
    if (check_between(random, 0, 4) == 0)
        return (sct_target){segment, rank, block, {0, 0, lines, (size_t)width}};
    int64_t line = check_between(random, 0, lines), byte = check_between(random, 0, width);
    return (sct_target){.segment = segment,
                        .rank = rank,
                        .block = block,
                        .part = {line, (size_t)byte, check_between(random, 0, lines - line),
                                 (size_t)check_between(random, 0, width - byte)}};
}

typedef struct request {
    sct_target from;
    char *to;
    size_t pitch;
    sct_event event;
} request;

/* Returns how many bytes this get must add to bytes_got. */
static uint64_t fetch_start(sct_fabric *fabric, request *fetch) {
    size_t bytes = (size_t)fetch->from.part.lines * fetch->pitch;
    fetch->to = malloc(bytes + 1);
    memset(fetch->to, GUARD, bytes + 1);
    CHECK(sct_fabric_get(fabric, NULL, &fetch->from, fetch->to, fetch->pitch, &fetch->event) ==
          SCT_OK);
    bool near = fabric->ops->peer(fetch->from.segment, fetch->from.rank) != NULL;
    return near ? 0 : (uint64_t)fetch->from.part.lines * fetch->from.part.width;
}

static void fetch_end(sct_fabric *fabric, uint64_t seed, request *fetch, bool twice) {
    bool early = sct_event_done(fetch->event);
    if (!early)
        CHECK(sct_event_wait(fetch->event) == SCT_OK);
    CHECK_CASE(holds(seed, &fetch->from, fetch->to, fetch->pitch), "rank %d got wrong bytes of %d",
               fabric->rank, fetch->from.rank);
    CHECK(sct_event_done(fetch->event));
    if (early || twice)
        CHECK(sct_event_wait(fetch->event) == SCT_OK);
    CHECK(fetch->to[(size_t)fetch->from.part.lines * fetch->pitch] == GUARD);
    free(fetch->to);
}

/* Many gets in flight at once, waited for in random order. */
static void fetch_many(sct_fabric *fabric, uint64_t seed, sct_segment *segment, int count) {
    uint64_t random = seed + (uint64_t)fabric->rank, expected = fabric->bytes_got;
    request *fetches = malloc((size_t)count * sizeof *fetches);
    for (int i = 0; i < count; i++) {
        fetches[i].from = draw_target(seed, &random, segment, fabric->size);
        fetches[i].pitch =
            fetches[i].from.part.width + (size_t)check_between(&random, 0, MOST_PADDING);
        expected += fetch_start(fabric, &fetches[i]);
    }
    CHECK_CASE(fabric->bytes_got == expected, "counted %llu bytes got instead of %llu",
               (unsigned long long)fabric->bytes_got, (unsigned long long)expected);
    for (int left = count; left > 0; left--) {
        int64_t i = check_between(&random, 0, left - 1);
        fetch_end(fabric, seed, &fetches[i], check_between(&random, 0, 3) == 0);
        fetches[i] = fetches[left - 1];
    }
    free(fetches);
}

/* Whether at least one rank has a block. */
static bool any_block(uint64_t seed, int ranks) {
    sct_memory blocks[MOST_BLOCKS];
    for (int r = 0; r < ranks; r++) {
        if (draw_shapes(seed, r, blocks) > 0)
            return true;
    }
    return false;
}

/* Collective; the segment has been filled. */
static void check_gets(sct_fabric *fabric, uint64_t seed, sct_segment *segment) {
    CHECK(fabric->ops->barrier(fabric) == SCT_OK);
    if (!any_block(seed, fabric->size))
        return;
    const int counts[] = {1, 2, 30};
    for (int i = 0; i < 3; i++)
        fetch_many(fabric, seed, segment, counts[i]);
}

static void check_reach(sct_fabric *fabric, const sct_segment *segment, int per_node) {
    for (int r = 0; r < fabric->size; r++)
        CHECK_CASE((fabric->ops->peer(segment, r) != NULL) ==
                       sct_is_near(fabric->rank, r, per_node),
                   "rank %d is wrong about the reach of %d", fabric->rank, r);
}

static void check_peers(sct_fabric *fabric, sct_device *device, uint64_t seed,
                        const sct_segment *segment) {
    check_reach(fabric, segment, fabric->ranks_per_node);
    for (int r = 0; r < fabric->size; r++) {
        const sct_memory *blocks = fabric->ops->peer(segment, r);
        sct_memory expected[MOST_BLOCKS];
        int count = draw_shapes(seed, r, expected);
        for (int b = 0; blocks && b < count; b++) {
            CHECK(blocks[b].lines == expected[b].lines && blocks[b].width == expected[b].width);
            CHECK(blocks[b].pitch == expected[b].width);
        }
        CHECK(!blocks || all_hold(seed, device, r, count, blocks));
    }
}

static sct_segment *open_filled(sct_fabric *fabric, sct_device *device, uint64_t seed,
                                sct_memory *blocks) {
    sct_segment *segment = NULL;
    int count = draw_shapes(seed, fabric->rank, blocks);
    CHECK(fabric->ops->segment_open(fabric, count, blocks, &segment) == SCT_OK);
    for (int b = 0; b < count; b++) {
        CHECK((uintptr_t)blocks[b].base % 64 == 0);
        CHECK(blocks[b].pitch == blocks[b].width);
    }
    fill(seed, device, fabric->rank, count, blocks);
    return segment;
}

/* Two open segments do not disturb each other, and the first may be closed first. */
static void rule_open(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    for (int turn = 0; turn < 4; turn++, seed += 2) {
        sct_memory blocks[MOST_BLOCKS], others[MOST_BLOCKS];
        sct_segment *segment = open_filled(fabric, device, seed, blocks);
        sct_segment *other = open_filled(fabric, device, seed + 1, others);
        CHECK(fabric->ops->barrier(fabric) == SCT_OK);
        memset(blocks, 0, sizeof blocks); /* the segment keeps its own */
        check_peers(fabric, device, seed, segment);
        check_gets(fabric, seed, segment);
        fabric->ops->segment_close(segment);
        check_peers(fabric, device, seed + 1, other);
        fabric->ops->segment_close(other);
    }
}

/* Wrapped memory, with a gap after each line that nobody may write to. */
static void rule_wrap(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    sct_memory blocks[MOST_BLOCKS];
    int count = draw_shapes(seed, fabric->rank, blocks);
    for (int b = 0; b < count; b++) {
        blocks[b].pitch = blocks[b].width + (size_t)(b * 8);
        size_t bytes = (size_t)blocks[b].lines * blocks[b].pitch;
        blocks[b].base = memory_new(device, bytes, GUARD);
    }
    fill(seed, device, fabric->rank, count, blocks);
    sct_segment *segment;
    if (CHECK(fabric->ops->segment_wrap(fabric, count, blocks, &segment) == SCT_OK)) {
        int per_node = fabric->ops->per_node(segment);
        CHECK(per_node == fabric->ranks_per_node || per_node == 1);
        check_reach(fabric, segment, per_node);
        const sct_memory *mine = fabric->ops->peer(segment, fabric->rank);
        CHECK(mine != NULL);
        for (int b = 0; mine && b < count; b++)
            CHECK(mine[b].base == blocks[b].base && mine[b].pitch == blocks[b].pitch);
        check_gets(fabric, seed, segment);
        fabric->ops->segment_close(segment);
    }
    CHECK(all_hold(seed, device, fabric->rank, count, blocks));
    for (int b = 0; b < count; b++)
        memory_free(device, blocks[b].base);
}

/* If one rank asks for too much, all ranks fail with a reason, and none gets a segment. */
static void rule_too_large(sct_fabric *fabric) {
    const sct_memory much[] = {{.lines = INT64_MAX, .width = 2},
                               {.lines = 1, .width = SIZE_MAX},
                               {.lines = 1, .width = INT64_MAX},
                               {.lines = INT64_MAX / 64, .width = 64}};
    for (int turn = 0; turn < 4; turn++) {
        sct_memory blocks[] = {{.lines = 3, .width = 5}, {.lines = 3, .width = 5}};
        if (fabric->rank == turn % fabric->size)
            blocks[1] = much[turn];
        sct_segment *segment = NULL;
        sct_fail(SCT_FAILED, "something else");
        CHECK(fabric->ops->segment_open(fabric, 2, blocks, &segment) == SCT_TOO_LARGE);
        CHECK(segment == NULL && blocks[0].base == NULL);
        CHECK(strcmp(sct_last_reason(), "something else") != 0);
    }
}

void fabric_rules_memory(sct_fabric *fabric, sct_device *device, uint64_t seed) {
    rule_open(fabric, device, seed);
    rule_wrap(fabric, NULL, seed);
    rule_wrap(fabric, device, seed + 1);
    rule_too_large(fabric);
}
