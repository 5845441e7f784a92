/* pieces_large.c - slicing of axes of many blocks, whose pieces are known by arithmetic. */
#include "layout/pieces.h"

#include "base/status.h"
#include "support/check.h"

#include <string.h>

/* MOST_MARKS: marks stored for a list, however long it is. */
enum { READS = 60, MANY_BLOCKS = 16, MOST_MARKS = 1 << 15 };

/* Two matrices in blocks of 2 and of 3, each with another owner: every 6 indices are 4 pieces, or 6
 * if a piece may only be one range. */
static void test_many(uint64_t *random, int64_t most) {
    static const int64_t bound[] = {0, 2, 3, 4, 6};
    const int64_t extent = 6 << 18, per_six = most ? 6 : 4;
    sct_axis axis[2];
    for (int side = 0; side < 2; side++)
        CHECK(sct_axis_deal("rows", extent, 2 + side, 0, 0, (int)extent, &axis[side]) == SCT_OK);
    sct_dimension d = {.axis = {&axis[0], &axis[1]}, .range = {0, extent}, .most = most};
    sct_pieces pieces;
    sct_reader reader = {.pieces = NULL};
    CHECK(sct_pieces_create(&d, &pieces) == SCT_OK && sct_pieces_store_few(&pieces) == SCT_OK);
    CHECK(pieces.count == extent / 6 * per_six && pieces.total == extent && !pieces.piece);
    CHECK(pieces.largest == (most ? 1 : 2) && pieces.marks <= MOST_MARKS);
    CHECK(pieces.marks == (extent / 6 * 4 - 1) / pieces.stride);
    for (int64_t i = 0; i < pieces.marks; i++)
        CHECK(pieces.mark[i].piece == (i + 1) * pieces.stride / 4 * per_six);
    for (int i = 0; i < 4 * READS; i++) {
        int64_t p = i < READS ? i : check_between(random, 0, pieces.count - 1);
        int64_t lo = most ? p : p / 4 * 6 + bound[p % 4];
        int64_t hi = most ? p + 1 : p / 4 * 6 + bound[p % 4 + 1];
        sct_piece piece;
        sct_pieces_read(&pieces, p, &reader, &piece);
        bool right = piece.indices.count == hi - lo && piece.indices.ranges == 1 &&
                     piece.indices.first.lo == lo && piece.indices.first.hi == hi;
        for (int side = 0; side < 2; side++) {
            sct_span span = piece.side[side].first;
            right &= span.coord == lo / (2 + side) && span.at == lo % (2 + side) &&
                     span.count == hi - lo && piece.side[side].count == 1;
        }
        CHECK_CASE(right, "at most %lld: piece %lld", (long long)most, (long long)p);
    }
    sct_pieces_clear(&pieces);
}

/* Two owners on one side, one on the other: two pieces of so many blocks that they are stored. */
static void test_joined(void) {
    enum { BLOCKS = 4 * MANY_BLOCKS };
    sct_axis axis[2];
    CHECK(sct_axis_deal("rows", 2 * BLOCKS, 2, 0, 0, 1, &axis[0]) == SCT_OK);
    CHECK(sct_axis_deal("rows", 2 * BLOCKS, BLOCKS, 0, 0, 2, &axis[1]) == SCT_OK);
    sct_dimension d = {.axis = {&axis[0], &axis[1]}, .range = {0, 2 * BLOCKS}};
    sct_pieces pieces;
    CHECK(sct_pieces_create(&d, &pieces) == SCT_OK);
    CHECK(pieces.count == 2 && pieces.piece && !pieces.ranges);
    for (int64_t i = 0; i < pieces.count; i++) {
        sct_reader reader = {.pieces = NULL};
        sct_piece piece;
        sct_pieces_read(&pieces, i, &reader, &piece);
        CHECK(piece.indices.first.lo == i * BLOCKS && piece.indices.count == BLOCKS);
        CHECK(piece.side[0].first.at == i * BLOCKS && piece.side[1].first.coord == i);
    }
    sct_pieces_clear(&pieces);
}

/* Slices `extent` indices, in blocks dealt to `coords` on one side, and to one on the other. */
static sct_status slice_blocks(int64_t extent, int64_t block, int coords, int only, int64_t most) {
    sct_axis axis[2];
    CHECK(sct_axis_deal("rows", extent, block, 0, 0, coords, &axis[0]) == SCT_OK);
    CHECK(sct_axis_deal("rows", extent, extent, 0, 0, 1, &axis[1]) == SCT_OK);
    sct_dimension d = {.axis = {&axis[0], &axis[1]}, .range = {0, extent}, .most = most};
    if (only >= 0)
        d.only = (sct_class){&axis[0], 0, only};
    sct_pieces pieces;
    sct_status status = sct_pieces_create(&d, &pieces);
    if (!status)
        sct_pieces_clear(&pieces);
    return status;
}

/* Lists that would take all memory are refused before they are made. Few blocks of many indices are
 * not; nor are the few of one class. */
static void test_refused(void) {
    const int64_t large = (int64_t)1 << 40, mega = 1 << 20;
    CHECK(slice_blocks(large, 1, 2, -1, 0) == SCT_TOO_LARGE);
    CHECK(strstr(sct_last_reason(), "about 1099511627776 slices"));
    CHECK(slice_blocks(large, 1, 2, 1, 0) == SCT_TOO_LARGE);
    CHECK(strstr(sct_last_reason(), "about 549755813888 slices"));
    CHECK(slice_blocks(large, large >> 6, 2, -1, 0) == SCT_OK);
    CHECK(slice_blocks(large, mega, mega, 7, 0) == SCT_OK);
    CHECK(slice_blocks(large, large >> 6, 2, -1, 1) == SCT_TOO_LARGE); /* cut to single indices */
    CHECK(slice_blocks(64 * mega, mega, 1, -1, 1) == SCT_TOO_LARGE);   /* likewise, in one chain */
}

/* Where owners repeat after more indices than can be counted, no part stands for all: here after
 * 2^64 + 2^33, of which 64 bits would keep 2^33. */
static void test_no_period(void) {
    const int64_t extent = (int64_t)1 << 40, of_two = (int64_t)1 << 33, of_three = 0x80000001;
    sct_axis axis[2];
    CHECK(sct_axis_deal("rows", extent, of_two / 2, 0, 0, 2, &axis[0]) == SCT_OK);
    CHECK(sct_axis_deal("rows", extent, of_three / 3, 0, 0, 3, &axis[1]) == SCT_OK);
    sct_dimension d = {.axis = {&axis[0], &axis[1]}, .range = {0, extent}};
    sct_range typical = sct_dimension_typical(&d);
    CHECK(typical.lo == 0 && typical.hi == extent);
}

int main(void) {
    uint64_t random = check_seed(1);
    test_joined();
    test_refused();
    test_no_period();
    test_many(&random, 0);
    test_many(&random, 1);
    return check_report("pieces_large");
}
