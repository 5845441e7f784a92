/* rectangle.c - pieces of rectangles. */
#include "base/rectangle.h"

#include "support/check.h"

/* Pieces cover the rectangle without gaps or overlaps, none exceeds the limit, and those of one
 * line begin at multiples of the grain. */
static void test_cut(int64_t lines, size_t width, size_t most, size_t grain) {
    sct_split cut = sct_split_make(lines, width, most, grain);
    int64_t line = 0, high = 0;
    size_t byte = 0;
    bool fine = true;
    for (int64_t i = 0; i < cut.pieces; i++) {
        sct_rectangle piece = sct_split_piece(&cut, i);
        fine &= piece.line == line && piece.byte == byte && piece.lines >= 1 && piece.width >= 1;
        fine &= piece.width <= most / (size_t)piece.lines && byte % grain == 0;
        high = piece.lines;
        byte += piece.width;
        if (byte == width) {
            line += high;
            byte = 0;
        }
    }
    CHECK_CASE(fine && line == lines && byte == 0, "cut of %lld lines of %zu at %zu, by %zu",
               (long long)lines, width, most, grain);
}

static void test_cuts(uint64_t *random) {
    for (int i = 0; i < 4000; i++) {
        size_t grain = (size_t)1 << check_between(random, 0, 6);
        test_cut(check_between(random, 1, 300), (size_t)check_between(random, 1, 3000),
                 (size_t)check_between(random, (int64_t)grain, 5000), grain);
    }
}

static void test_large_cuts(void) {
    sct_split cut = sct_split_make((int64_t)1 << 40, 1000, 1 << 16, SCT_SPLIT_GRAIN);
    sct_rectangle last = sct_split_piece(&cut, cut.pieces - 1);
    CHECK(last.line + last.lines == (int64_t)1 << 40 && cut.pieces > (int64_t)1 << 33);
    cut = sct_split_make(3, (size_t)1 << 40, 1 << 16, SCT_SPLIT_GRAIN);
    last = sct_split_piece(&cut, cut.pieces - 1);
    CHECK(last.line == 2 && last.byte + last.width == (size_t)1 << 40);
}

/* A piece of a rectangle lies in the block where the rectangle and the piece say. */
static void test_places(void) {
    const sct_rectangle outer = {3, 8, 5, 24}, inner = {2, 16, 1, 8};
    sct_rectangle both = sct_rectangle_inside(&outer, &inner);
    CHECK(both.line == 5 && both.byte == 24 && both.lines == 1 && both.width == 8);
    CHECK(sct_rectangle_offset(&both, 100) == 524 && !sct_rectangle_is_empty(&both));
    CHECK(sct_rectangle_offset(&both, 100) ==
          sct_rectangle_offset(&outer, 100) + sct_rectangle_offset(&inner, 100));
}

int main(void) {
    uint64_t random = check_seed(1);
    test_cuts(&random);
    test_large_cuts();
    test_places();
    return check_report("rectangle");
}
