/* pieces.c - slicing of random pairs of axes, against a model that looks at each index alone. */
#include "layout/pieces.h"

#include "support/check.h"
#include "support/layouts.h"

#include <stdlib.h>

enum { EXTENT = 40, COORDS = 4, CASES = 6000 };

/* What the model knows of one index of an axis. */
typedef struct spot {
    int64_t block, position;
    int coord;
} spot;

typedef struct slicing {
    sct_axis axis[2];
    spot at[2][EXTENT];
    sct_dimension dimension;
} slicing;

static void make_axis(uint64_t *random, int64_t extent, sct_axis *axis) {
    int coords = (int)check_between(random, 1, COORDS);
    if (check_between(random, 0, 1)) {
        random_cuts cuts;
        make_random_cuts(random, extent, coords, &cuts);
        CHECK(sct_axis_cut("rows", extent, &cuts.given, cuts.owners, coords, axis) == SCT_OK);
        return;
    }
    int64_t block = check_between(random, 1, 9), first = check_between(random, 0, block);
    int source = (int)check_between(random, 0, coords - 1);
    CHECK(sct_axis_deal("rows", extent, block, first, source, coords, axis) == SCT_OK);
}

/* Positions by counting what came before. */
static void map_axis(const sct_axis *axis, spot *spots) {
    int64_t stored[COORDS] = {0};
    for (int64_t block = 0; block < axis->blocks; block++) {
        sct_range bounds = sct_axis_bounds(axis, block);
        int coord = sct_axis_owner(axis, block);
        for (int64_t i = bounds.lo; i < bounds.hi; i++)
            spots[i] = (spot){block, stored[coord]++, coord};
    }
}

static void make_slicing(uint64_t *random, slicing *s) {
    int64_t length = check_between(random, 0, EXTENT), offset[2];
    for (int side = 0; side < 2; side++) {
        offset[side] = check_between(random, 0, EXTENT - length);
        make_axis(random, check_between(random, offset[side] + length, EXTENT), &s->axis[side]);
        map_axis(&s->axis[side], s->at[side]);
    }
    int64_t lo = check_between(random, 0, length);
    s->dimension = (sct_dimension){
        .axis = {&s->axis[0], &s->axis[1]},
        .offset = {offset[0], offset[1]},
        .only = {-1, -1},
        .range = {lo, check_between(random, lo, length)},
        .cutting = (sct_cutting)check_between(random, 0, 2),
        .most = check_between(random, 0, 1) ? 0 : check_between(random, 1, EXTENT / 2)};
    int64_t which = check_between(random, 0, 2);
    if (which < 2)
        s->dimension.only[which] = (int)check_between(random, 0, s->axis[which].coords - 1);
}

static const spot *spot_of(const slicing *s, int side, int64_t i) {
    return &s->at[side][i + s->dimension.offset[side]];
}

static bool counts(const slicing *s, int64_t i) {
    const sct_dimension *d = &s->dimension;
    for (int side = 0; side < 2; side++)
        if (d->only[side] >= 0 && spot_of(s, side, i)->coord != d->only[side])
            return false;
    return i >= d->range.lo && i < d->range.hi;
}

/* Whether two indices that count, i < j, belong together when no piece is too large. */
static bool together(const slicing *s, int64_t i, int64_t j) {
    bool owners = true, blocks = true, run = true;
    for (int side = 0; side < 2; side++) {
        const spot *x = spot_of(s, side, i), *y = spot_of(s, side, j);
        owners &= x->coord == y->coord;
        blocks &= x->block == y->block;
    }
    switch (s->dimension.cutting) {
    case SCT_CUT_CLASSES:
        return owners;
    case SCT_CUT_TILES:
        return blocks;
    case SCT_CUT_RUNS:
        break;
    }
    int64_t before = i; /* each index from i to j with these owners continues the one before */
    for (int64_t next = i + 1; next <= j && owners; next++) {
        if (spot_of(s, 0, next)->coord != spot_of(s, 0, i)->coord ||
            spot_of(s, 1, next)->coord != spot_of(s, 1, i)->coord)
            continue;
        for (int side = 0; side < 2; side++)
            run &= spot_of(s, side, next)->position == spot_of(s, side, before)->position + 1;
        before = next;
    }
    return owners && run;
}

/* Writes a piece's indices one by one; returns whether its ranges are well formed. */
static bool list_indices(const sct_piece *piece, int64_t *index) {
    int64_t count = 0;
    bool right = piece->indices.ranges > 0;
    for (int64_t r = 0; r < piece->indices.ranges; r++) {
        sct_range range = piece->indices.range[r];
        right &= range.lo < range.hi && (count == 0 || index[count - 1] + 1 < range.lo);
        right &= range.lo >= 0 && range.hi <= EXTENT && count + range.hi - range.lo <= EXTENT;
        for (int64_t i = range.lo; i < range.hi && right; i++)
            index[count++] = i;
    }
    return right && count == piece->indices.count;
}

/* Whether a side's spans are where the indices are, and as few as can be. */
static bool spans_right(const slicing *s, int side, const sct_piece *piece, const int64_t *index) {
    int64_t at = 0;
    for (int64_t i = 0; i < piece->side[side].count; i++) {
        sct_span span = piece->side[side].span[i];
        if (span.count < 1 || at + span.count > piece->indices.count)
            return false;
        const spot *first = spot_of(s, side, index[at]);
        if (at > 0) {
            const spot *last = spot_of(s, side, index[at - 1]);
            if (last->coord == first->coord && last->position + 1 == first->position)
                return false;
        }
        for (int64_t j = 0; j < span.count; j++, at++) {
            const spot *here = spot_of(s, side, index[at]);
            if (here->coord != span.coord || here->position != span.at + j)
                return false;
        }
    }
    return at == piece->indices.count &&
           (s->dimension.cutting != SCT_CUT_RUNS || piece->side[side].count == 1);
}

/* A group: all indices that belong together. Its parts are as few as `most` allows and as equal as
 * can be. */
static bool parts_right(const slicing *s, const int64_t *piece_of, const sct_pieces *pieces,
                        int64_t first) {
    int64_t total = 0, parts = 0, least = EXTENT, largest = 0, most = s->dimension.most;
    for (int64_t i = first, last = -1; i < s->dimension.range.hi; i++) {
        if (!counts(s, i) || (i > first && !together(s, first, i)))
            continue;
        total++;
        if (piece_of[i] == last)
            continue;
        last = piece_of[i];
        parts++;
        int64_t size = pieces->piece[last].indices.count;
        least = size < least ? size : least;
        largest = size > largest ? size : largest;
    }
    return parts == (most ? (total + most - 1) / most : 1) && largest - least <= 1;
}

/* Each index that counts is in one piece, and no other index in any; says in which. */
static bool pieces_right(const slicing *s, const sct_pieces *pieces, int64_t *piece_of) {
    int64_t index[EXTENT], largest = 0;
    for (int64_t i = 0; i < EXTENT; i++)
        piece_of[i] = -1;
    for (int64_t p = 0; p < pieces->count; p++) {
        const sct_piece *piece = &pieces->piece[p];
        if (!list_indices(piece, index) || !spans_right(s, 0, piece, index) ||
            !spans_right(s, 1, piece, index))
            return false;
        largest = piece->indices.count > largest ? piece->indices.count : largest;
        for (int64_t i = 0; i < piece->indices.count; i++) {
            if (!counts(s, index[i]) || piece_of[index[i]] >= 0 || !together(s, index[0], index[i]))
                return false;
            piece_of[index[i]] = p;
        }
    }
    return pieces->largest == largest;
}

static bool all_found(const slicing *s, const sct_pieces *pieces, const int64_t *piece_of) {
    bool seen[EXTENT] = {false};
    for (int64_t i = s->dimension.range.lo; i < s->dimension.range.hi; i++) {
        if (!counts(s, i))
            continue;
        if (piece_of[i] < 0)
            return false;
        if (seen[i])
            continue;
        for (int64_t j = i; j < s->dimension.range.hi; j++)
            seen[j] |= counts(s, j) && (i == j || together(s, i, j));
        if (!parts_right(s, piece_of, pieces, i))
            return false;
    }
    return true;
}

static bool common_right(const slicing *s) {
    for (int x = 0; x < s->axis[0].coords; x++)
        for (int y = 0; y < s->axis[1].coords; y++) {
            int64_t common = 0;
            for (int64_t i = s->dimension.range.lo; i < s->dimension.range.hi; i++)
                common += spot_of(s, 0, i)->coord == x && spot_of(s, 1, i)->coord == y;
            if (sct_dimension_common(&s->dimension, x, y) != common)
                return false;
        }
    return true;
}

static void test_case(int number, uint64_t *random) {
    static slicing s;
    make_slicing(random, &s);
    const sct_dimension *d = &s.dimension;
    sct_pieces pieces;
    int64_t piece_of[EXTENT];
    if (!CHECK(sct_pieces_create(d, &pieces) == SCT_OK))
        return;
    CHECK_CASE(pieces_right(&s, &pieces, piece_of), "case %d, cutting %d, most %lld: pieces",
               number, (int)d->cutting, (long long)d->most);
    CHECK_CASE(all_found(&s, &pieces, piece_of), "case %d, cutting %d, most %lld: groups", number,
               (int)d->cutting, (long long)d->most);
    CHECK_CASE(common_right(&s), "case %d: common indices", number);
    sct_pieces_clear(&pieces);
    for (int side = 0; side < 2; side++)
        sct_axis_clear(&s.axis[side]);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++)
        test_case(i, &random);
    return check_report("pieces");
}
