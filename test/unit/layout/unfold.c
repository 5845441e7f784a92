/* unfold.c - pieces of a dimension whose owners repeat very often hold each index once, where the
 * axes say; few spans are listed. */
#include "layout/pieces.h"
#include "support/check.h"

#include <stdlib.h>

enum { CASES = 300, MOST = 4000, SIDES = 2 };

typedef struct dealt {
    sct_dimension dimension;
    sct_axis axis[SIDES + 1];
} dealt;

/* Two axes with blocks of up to 6 for up to 3 owners, seen from some index on; and in half of all
 * cases only what one coordinate of a third one owns. */
static void make_dimension(uint64_t *random, dealt *made) {
    int64_t size = check_between(random, 3000, MOST), offset = check_between(random, 0, 9);
    sct_dimension *d = &made->dimension;
    *d = (sct_dimension){.cutting = SCT_CUT_CLASSES, .range = {check_between(random, 0, 9), size}};
    for (int i = 0; i <= SIDES; i++) {
        int64_t block = check_between(random, 1, 6), first = check_between(random, 1, block);
        int coords = (int)check_between(random, 1, 3);
        CHECK(sct_axis_deal("axis", size + offset, block, first,
                            (int)check_between(random, 0, coords - 1), coords,
                            &made->axis[i]) == SCT_OK);
        if (i < SIDES) {
            d->axis[i] = &made->axis[i];
            d->offset[i] = offset;
            d->ignore_owners[i] = check_between(random, 0, 2) == 0;
        } else if (check_between(random, 0, 1)) {
            d->only =
                (sct_class){&made->axis[i], offset, (int)check_between(random, 0, coords - 1)};
        }
    }
}

static int owner(const sct_axis *axis, int64_t index) {
    return sct_axis_owner(axis, sct_axis_block(axis, index));
}

static int64_t position(const sct_axis *axis, int64_t index) {
    int64_t block = sct_axis_block(axis, index);
    return sct_axis_position(axis, block) + index - sct_axis_bounds(axis, block).lo;
}

/* Whether the spans of a side say where the indices are, in order. Adds up those that are listed.
 */
static bool side_right(const sct_dimension *d, int side, const sct_piece *piece,
                       const int64_t *index, int64_t *listed) {
    const sct_spans *spans = &piece->side[side];
    int64_t at = 0, sum = 0;
    bool right = true;
    for (int64_t i = 0; i < spans->count; i++) {
        sct_span span = sct_spans_get(spans, i);
        for (int64_t j = 0; j < span.count && at < piece->indices.count; j++, at++) {
            int64_t there = index[at] + d->offset[side];
            right &= owner(d->axis[side], there) == span.coord &&
                     position(d->axis[side], there) == span.at + j;
        }
    }
    for (int64_t i = 0; i < sct_spans_listed(spans); i++)
        sum += sct_spans_times(spans, i) * sct_spans_item(spans, i).count;
    *listed += sct_spans_listed(spans);
    return right && at == piece->indices.count && sum == at;
}

static void list_indices(const sct_piece *piece, bool *seen, int64_t *index) {
    int64_t count = 0;
    for (int64_t i = 0; i < piece->indices.ranges; i++) {
        sct_range range = piece->indices.all ? piece->indices.all[i] : piece->indices.first;
        for (int64_t j = range.lo; j < range.hi && count < piece->indices.count; j++) {
            CHECK(!seen[j]);
            seen[j] = true;
            index[count++] = j;
        }
    }
    CHECK(count == piece->indices.count);
}

/* Returns the spans that are listed of all. */
static double test_random(int number, uint64_t *random) {
    dealt made;
    make_dimension(random, &made);
    const sct_dimension *d = &made.dimension;
    sct_pieces pieces;
    sct_reader reader = {.pieces = NULL};
    bool seen[MOST] = {false};
    int64_t index[MOST], listed = 0, spans = 0, total = 0;
    if (!CHECK(sct_pieces_create(d, &pieces) == SCT_OK))
        return 1;
    for (int64_t i = 0; i < pieces.count; i++) {
        sct_piece piece;
        sct_pieces_read(&pieces, i, &reader, &piece);
        list_indices(&piece, seen, index);
        for (int side = 0; side < SIDES; side++) {
            CHECK_CASE(side_right(d, side, &piece, index, &listed), "case %d: side %d of piece %d",
                       number, side, (int)i);
            spans += piece.side[side].count;
        }
    }
    for (int64_t i = d->range.lo; i < d->range.hi; i++) {
        bool counts = !d->only.axis || owner(d->only.axis, i + d->only.offset) == d->only.coord;
        CHECK_CASE(seen[i] == counts, "case %d: index %d", number, (int)i);
        total += counts;
    }
    CHECK_CASE(pieces.total == total, "case %d: total", number);
    sct_pieces_clear(&pieces);
    return (double)listed / (double)(spans ? spans : 1);
}

int main(void) {
    uint64_t random = check_seed(1);
    int few = 0;
    for (int i = 0; i < CASES; i++)
        few += test_random(i, &random) < 0.1;
    CHECK_CASE(few > CASES / 4, "only %d of %d are short", few, CASES);
    return check_report("unfold");
}
