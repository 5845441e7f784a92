/* axis.c - the arithmetic of one dimension compared with a naive model that lists every block; for
 * extents too long to list, identities are checked. */
#include "layout/axis.h"

#include "support/check.h"
#include "support/layouts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

enum { MOST_EXTENT = 60, CASES = 400 };

/* An axis as lists. */
struct model {
    int64_t extent, blocks;
    int coords;
    sct_range bounds[MOST_EXTENT + 1];
    int owners[MOST_EXTENT + 1];
    char name[120]; /* for the message of a failed check */
};

static void deal(uint64_t *state, struct model *model, sct_axis *axis) {
    int64_t extent = check_between(state, 0, MOST_EXTENT);
    int64_t block = check_between(state, 1, check_between(state, 1, MOST_EXTENT + 10));
    int64_t first = check_between(state, 0, block);
    int coords = (int)check_between(state, 1, check_between(state, 1, MOST_EXTENT + 10));
    int source = (int)check_between(state, 0, coords - 1);
    snprintf(model->name, sizeof model->name,
             "%" PRId64 " in blocks of %" PRId64 ", first %" PRId64 ", to %d from %d on", extent,
             block, first, coords, source);
    CHECK(sct_axis_deal("rows", extent, block, first, source, coords, axis) == SCT_OK);
    model->extent = extent;
    model->coords = coords;
    model->blocks = 0;
    int owner = source;
    int64_t left = first > 0 ? first : block;
    for (int64_t lo = 0; lo < extent; lo += left, left = block) {
        int64_t b = model->blocks++;
        model->bounds[b] = (sct_range){lo, lo + left < extent ? lo + left : extent};
        model->owners[b] = owner;
        owner = owner + 1 < coords ? owner + 1 : 0;
    }
}

static void cut(uint64_t *state, struct model *model, sct_axis *axis) {
    int64_t extent = check_between(state, 0, check_between(state, 0, MOST_EXTENT));
    int coords = (int)check_between(state, 1, MOST_BLOCKS + 3);
    random_cuts made;
    make_random_cuts(state, extent, coords, &made);
    bool dealt_any = check_between(state, 0, 3) > 0;
    snprintf(model->name, sizeof model->name, "%" PRId64 " cut into %" PRId64 " of %d", extent,
             made.given.blocks, coords);
    CHECK(sct_axis_cut("rows", extent, &made.given, dealt_any ? made.owners : NULL, coords, axis) ==
          SCT_OK);
    model->extent = extent;
    model->blocks = made.given.blocks;
    model->coords = dealt_any ? coords : (int)made.given.blocks;
    int64_t lo = 0;
    for (int64_t b = 0; b < model->blocks; b++) {
        int64_t hi = b + 1 < model->blocks ? made.cuts[b] : extent;
        model->bounds[b] = (sct_range){lo, hi};
        model->owners[b] = dealt_any ? made.owners[b] : (int)b;
        lo = hi;
    }
}

/* Counts the indices below i that belong to coord, one by one. */
static int64_t count_below(const struct model *model, int coord, int64_t i) {
    int64_t count = 0;
    for (int64_t b = 0; b < model->blocks; b++)
        for (int64_t j = model->bounds[b].lo; j < model->bounds[b].hi; j++)
            count += j < i && model->owners[b] == coord;
    return count;
}

static void check_blocks(const struct model *model, const sct_axis *axis) {
    for (int64_t b = 0; b < model->blocks; b++) {
        sct_range bounds = sct_axis_bounds(axis, b), expected = model->bounds[b];
        CHECK_CASE(bounds.lo == expected.lo && bounds.hi == expected.hi,
                   "%s: bounds of block %" PRId64, model->name, b);
        CHECK_CASE(sct_axis_owner(axis, b) == model->owners[b], "%s: owner of block %" PRId64,
                   model->name, b);
        CHECK_CASE(sct_axis_position(axis, b) == count_below(model, model->owners[b], expected.lo),
                   "%s: position of block %" PRId64, model->name, b);
        for (int64_t i = expected.lo; i < expected.hi; i++)
            CHECK_CASE(sct_axis_block(axis, i) == b, "%s: block of %" PRId64, model->name, i);
    }
}

static void check_coord(const struct model *model, const sct_axis *axis, int coord) {
    for (int64_t i = 0; i <= model->extent + 1; i++)
        CHECK_CASE(sct_axis_below(axis, coord, i) == count_below(model, coord, i),
                   "%s: of %d below %" PRId64, model->name, coord, i);
    CHECK_CASE(sct_axis_class_size(axis, coord) == count_below(model, coord, model->extent),
               "%s: class size of %d", model->name, coord);
    int64_t next = model->blocks;
    for (int64_t b = model->blocks; b >= 0; b--) {
        if (b < model->blocks && model->owners[b] == coord)
            next = b;
        CHECK_CASE(sct_axis_seek(axis, coord, b) == next, "%s: seek %d from block %" PRId64,
                   model->name, coord, b);
    }
}

static void check_axis(const struct model *model, const sct_axis *axis) {
    CHECK_CASE(axis->extent == model->extent && axis->blocks == model->blocks &&
                   axis->coords == model->coords,
               "%s: shape", model->name);
    int64_t largest = 0;
    check_blocks(model, axis);
    for (int coord = 0; coord < model->coords; coord++) {
        int64_t size = count_below(model, coord, model->extent);
        largest = size > largest ? size : largest;
        check_coord(model, axis, coord);
    }
    CHECK_CASE(sct_axis_largest_class(axis) == largest, "%s: the largest class", model->name);
}

static void test_against_model(uint64_t *state) {
    for (int i = 0; i < CASES; i++) {
        struct model model;
        sct_axis axis;
        if (i % 2)
            deal(state, &model, &axis);
        else
            cut(state, &model, &axis);
        check_axis(&model, &axis);
        sct_axis_clear(&axis);
    }
}

/* Identities for index i of any axis. */
static void check_index(const sct_axis *axis, int64_t i) {
    int64_t b = sct_axis_block(axis, i);
    sct_range bounds = sct_axis_bounds(axis, b);
    int owner = sct_axis_owner(axis, b);
    CHECK(0 <= b && b < axis->blocks && bounds.lo <= i && i < bounds.hi);
    CHECK(0 <= owner && owner < axis->coords);
    CHECK(b == 0 ? bounds.lo == 0 : sct_axis_bounds(axis, b - 1).hi == bounds.lo);
    CHECK((b == axis->blocks - 1) == (bounds.hi == axis->extent));
    CHECK(sct_axis_position(axis, b) == sct_axis_below(axis, owner, bounds.lo));
    CHECK(sct_axis_below(axis, owner, i) == sct_axis_position(axis, b) + (i - bounds.lo));
    CHECK(sct_axis_below(axis, owner, i + 1) == sct_axis_below(axis, owner, i) + 1);
    CHECK(sct_axis_seek(axis, owner, b) == b);
    int next = owner + 1 < axis->coords ? owner + 1 : 0;
    CHECK(sct_axis_seek(axis, next, b) == (axis->coords == 1 ? b : b + 1));
}

/* Each index below i belongs to exactly one coordinate. */
static void check_sum(const sct_axis *axis, int64_t i) {
    int64_t sum = 0;
    for (int coord = 0; coord < axis->coords; coord++)
        sum += sct_axis_below(axis, coord, i);
    CHECK(sum == i);
}

static void test_big(uint64_t *state, int64_t extent, int coords) {
    for (int i = 0; i < CASES; i++) {
        int64_t block = check_between(state, 1, (extent >> check_between(state, 0, 62)) | 1);
        int64_t first = check_between(state, 1, block);
        int source = (int)check_between(state, 0, coords - 1);
        sct_axis axis;
        CHECK(sct_axis_deal("rows", extent, block, first, source, coords, &axis) == SCT_OK);
        int64_t inner = check_between(state, 0, extent - 1);
        check_index(&axis, 0);
        check_index(&axis, inner);
        check_index(&axis, extent - 1);
        if (coords > 100)
            continue;
        check_sum(&axis, inner);
        check_sum(&axis, extent);
    }
}

static void test_bad_deals(void) {
    static const struct {
        int64_t extent, block, first;
        int source, coords;
    } bad[] = {
        {-1, 1, 0, 0, 1}, {5, 0, 0, 0, 1}, {5, -2, 0, 0, 1}, {5, 2, -1, 0, 1}, {5, 2, 3, 0, 1},
        {5, 2, 0, -1, 1}, {5, 2, 0, 1, 1}, {5, 2, 0, 0, 0},  {5, 2, 0, 0, -1},
    };
    sct_axis axis;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_CASE(sct_axis_deal("rows", bad[i].extent, bad[i].block, bad[i].first, bad[i].source,
                                 bad[i].coords, &axis) == SCT_BAD_ARGUMENT,
                   "bad deal %zu", i);
}

static void test_bad_cuts(void) {
    static const struct {
        int64_t extent, blocks, cuts[2];
        int owners[3];
    } bad[] = {
        {-1, 1, {0}, {0}},          {5, 0, {0}, {0}},           {5, 3, {3, 2}, {0, 1, 0}},
        {5, 3, {3, 6}, {0, 1, 0}},  {5, 3, {-1, 2}, {0, 1, 0}}, {5, 3, {1, 2}, {0, 2, 0}},
        {5, 3, {1, 2}, {0, 1, -1}},
    };
    sct_axis axis;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sct_cuts cuts = {bad[i].blocks, bad[i].cuts, bad[i].owners};
        CHECK_CASE(sct_axis_cut("rows", bad[i].extent, &cuts, cuts.owners, 2, &axis) ==
                       SCT_BAD_ARGUMENT,
                   "bad cuts %zu", i);
    }
}

int main(void) {
    uint64_t state = check_seed(1);
    test_against_model(&state);
    test_big(&state, (int64_t)1 << 40, 7);
    test_big(&state, (int64_t)1 << 40, 1);
    test_big(&state, INT64_MAX, 13);
    test_big(&state, INT64_MAX, 1);
    test_big(&state, INT64_MAX, INT_MAX);
    test_bad_deals();
    test_bad_cuts();
    return check_report("axis");
}
