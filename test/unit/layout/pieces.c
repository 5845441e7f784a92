/* pieces.c - slicing of random pairs of axes compared with a model that looks at each index by
 * itself. */
#include "layout/pieces.h"

#include "support/check.h"
#include "support/layouts.h"

#include <stdlib.h>

enum { EXTENT = 40, COORDS = 4, CASES = 6000, READS = 60, MANY_BLOCKS = 16 };

/* The axes of both sides, and one whose class may restrict the dimension. */
enum { THIRD = 2, AXES };

/* The model's view of one index of an axis. */
typedef struct spot {
    int64_t block, position;
    int coord;
} spot;

typedef struct slicing {
    sct_axis axis[AXES];
    spot at[AXES][EXTENT];
    int64_t offset[AXES];
    int class; /* the axis of the class; AXES: none */
    sct_dimension dimension;
    sct_piece piece[EXTENT]; /* as read one after another */
} slicing;

/* fine: small blocks and few coordinates, so that owners soon repeat. */
static void make_axis(uint64_t *random, int64_t extent, bool fine, sct_axis *axis) {
    int coords = (int)check_between(random, 1, fine ? 2 : COORDS);
    if (!fine && check_between(random, 0, 1)) {
        random_cuts cuts;
        make_random_cuts(random, extent, coords, &cuts);
        CHECK(sct_axis_cut("rows", extent, &cuts.given, cuts.owners, coords, axis) == SCT_OK);
        return;
    }
    int64_t block = check_between(random, 1, fine ? 3 : 9), first = check_between(random, 0, block);
    int source = (int)check_between(random, 0, coords - 1);
    CHECK(sct_axis_deal("rows", extent, block, first, source, coords, axis) == SCT_OK);
}

/* Computes positions by counting the indices before. */
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
    int64_t length = check_between(random, 0, EXTENT), *offset = s->offset;
    bool twins = check_between(random, 0, 3) == 0, fine = check_between(random, 0, 3) == 0;
    uint64_t before = 0;
    for (int i = 0; i < AXES; i++) {
        offset[i] = i == 1 && twins ? offset[0] : check_between(random, 0, EXTENT - length);
        if (i == 0)
            before = *random;
        uint64_t *draw = i == 1 && twins ? &before : random;
        make_axis(draw, check_between(draw, offset[i] + length, EXTENT), fine, &s->axis[i]);
        map_axis(&s->axis[i], s->at[i]);
    }
    int64_t lo = check_between(random, 0, length);
    s->dimension = (sct_dimension){
        .axis = {&s->axis[0], &s->axis[1]},
        .offset = {offset[0], offset[1]},
        .range = {lo, check_between(random, lo, length)},
        .cutting = (sct_cutting)check_between(random, 0, 2),
        .most = check_between(random, 0, 1) ? 0 : check_between(random, 1, EXTENT / 2)};
    for (int side = 0; side < 2; side++)
        s->dimension.ignore_owners[side] =
            s->dimension.cutting == SCT_CUT_CLASSES && check_between(random, 0, 2) == 0;
    s->class = (int)check_between(random, 0, AXES);
    if (s->class < AXES)
        s->dimension.only =
            (sct_class){&s->axis[s->class], offset[s->class],
                        (int)check_between(random, 0, s->axis[s->class].coords - 1)};
}

static const spot *spot_of(const slicing *s, int axis, int64_t i) {
    return &s->at[axis][i + s->offset[axis]];
}

static bool counts(const slicing *s, int64_t i) {
    const sct_dimension *d = &s->dimension;
    return i >= d->range.lo && i < d->range.hi &&
           (s->class == AXES || spot_of(s, s->class, i)->coord == d->only.coord);
}

/* Whether two indices i < j that count belong to one piece, if no piece is too large. */
static bool belong_together(const slicing *s, int64_t i, int64_t j) {
    bool owners = true, blocks = true, run = true;
    for (int side = 0; side < 2; side++) {
        const spot *x = spot_of(s, side, i), *y = spot_of(s, side, j);
        owners &= x->coord == y->coord || s->dimension.ignore_owners[side];
        blocks &= x->block == y->block;
    }
    if (s->class < AXES)
        blocks &= spot_of(s, s->class, i)->block == spot_of(s, s->class, j)->block;
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
            spot_of(s, 1, next)->coord != spot_of(s, 1, i)->coord || !counts(s, next))
            continue;
        for (int side = 0; side < 2; side++)
            run &= spot_of(s, side, next)->position == spot_of(s, side, before)->position + 1;
        before = next;
    }
    return owners && run;
}

/* Lists a piece's indices; returns whether its ranges are well formed. */
static bool list_indices(const sct_piece *piece, int64_t *index) {
    int64_t count = 0;
    bool right = piece->indices.ranges > 0;
    for (int64_t r = 0; r < piece->indices.ranges; r++) {
        sct_range range = sct_indices_range(&piece->indices, r);
        right &= range.lo < range.hi && (count == 0 || index[count - 1] + 1 < range.lo);
        right &= range.lo >= 0 && range.hi <= EXTENT && count + range.hi - range.lo <= EXTENT;
        for (int64_t i = range.lo; i < range.hi && right; i++)
            index[count++] = i;
    }
    return right && count == piece->indices.count;
}

/* Whether the spans of one side cover the right indices and are as few as possible. */
static bool spans_right(const slicing *s, int side, const sct_piece *piece, const int64_t *index) {
    int64_t at = 0;
    for (int64_t i = 0; i < piece->side[side].count; i++) {
        sct_span span = sct_spans_get(&piece->side[side], i);
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

/* Checks a group, which is all indices that belong together: it has as few parts as `most` permits,
 * of sizes as equal as possible. */
static bool parts_right(const slicing *s, const int64_t *piece_of, int64_t first) {
    int64_t total = 0, parts = 0, least = EXTENT, largest = 0, most = s->dimension.most;
    for (int64_t i = first, last = -1; i < s->dimension.range.hi; i++) {
        if (!counts(s, i) || (i > first && !belong_together(s, first, i)))
            continue;
        total++;
        if (piece_of[i] == last)
            continue;
        last = piece_of[i];
        parts++;
        int64_t size = s->piece[last].indices.count;
        least = size < least ? size : least;
        largest = size > largest ? size : largest;
    }
    return parts == (most ? (total + most - 1) / most : 1) && largest - least <= 1;
}

/* Whether two pieces are in order: by owners where pieces are split by owner, then by indices. */
static bool ordered(const slicing *s, const sct_piece *x, const sct_piece *y) {
    for (int side = 0; side < 2 && s->dimension.cutting != SCT_CUT_TILES; side++)
        if (!s->dimension.ignore_owners[side] &&
            x->side[side].first.coord != y->side[side].first.coord)
            return x->side[side].first.coord < y->side[side].first.coord;
    return x->indices.first.lo < y->indices.first.lo;
}

/* Whether the summary of the pieces is right, and they are stored only if necessary, if they
 * consist of many blocks, or if they are simple only because the limit happens to fit. */
static bool summary_right(const slicing *s, const sct_pieces *pieces) {
    int64_t largest = 0, total = 0;
    bool scattered[2] = {false, false}, parted[2] = {false, false}, simple = true;
    for (int64_t p = 0; p < pieces->count; p++) {
        const sct_piece *piece = &s->piece[p];
        largest = piece->indices.count > largest ? piece->indices.count : largest;
        total += piece->indices.count;
        for (int side = 0; side < 2; side++) {
            scattered[side] |= piece->side[side].count > 1;
            parted[side] |= piece->side[side].first.coord != s->piece[0].side[side].first.coord;
        }
        simple &= piece->indices.ranges == 1 && !scattered[0] && !scattered[1] &&
                  (p == 0 || piece[-1].indices.first.lo < piece->indices.first.lo);
    }
    bool stored = pieces->piece != NULL, right = simple || stored || pieces->count == 0;
    for (int side = 0; side < 2; side++)
        right &= scattered[side] == pieces->scattered[side] && parted[side] == pieces->split[side];
    bool excused = s->dimension.most ||
                   s->axis[0].blocks + s->axis[1].blocks + s->axis[THIRD].blocks > MANY_BLOCKS;
    sct_range span = pieces->dimension.range;
    if (pieces->count > 0 && !stored)
        right &= span.lo == s->piece[0].indices.first.lo &&
                 span.hi == s->piece[pieces->count - 1].indices.first.hi;
    return right && (!simple || !stored || excused) && largest == pieces->largest &&
           total == pieces->total;
}

static bool same_spans(const sct_spans *x, const sct_spans *y) {
    return x->count == y->count && x->first.at == y->first.at && x->first.count == y->first.count &&
           x->first.coord == y->first.coord && x->all == y->all;
}

static bool same_piece(const sct_piece *x, const sct_piece *y) {
    return x->indices.count == y->indices.count && x->indices.ranges == y->indices.ranges &&
           x->indices.first.lo == y->indices.first.lo &&
           x->indices.first.hi == y->indices.first.hi && x->indices.all == y->indices.all &&
           same_spans(&x->side[0], &y->side[0]) && same_spans(&x->side[1], &y->side[1]);
}

/* Reads all pieces in order, then some in random order, with a reader that last read another list.
 */
static bool reads_alike(uint64_t *random, slicing *s, const sct_pieces *pieces,
                        const sct_pieces *other) {
    sct_reader reader = {.pieces = NULL};
    sct_piece piece;
    bool alike = true;
    for (int64_t p = 0; p < pieces->count; p++)
        sct_pieces_read(pieces, p, &reader, &s->piece[p]);
    for (int i = 0; i < READS && pieces->count > 0; i++) {
        int64_t p = check_between(random, 0, pieces->count - 1);
        if (other->count > 0 && check_between(random, 0, 3) == 0)
            sct_pieces_read(other, check_between(random, 0, other->count - 1), &reader, &piece);
        sct_pieces_read(pieces, p, &reader, &piece);
        alike &= same_piece(&piece, &s->piece[p]);
    }
    return alike;
}

/* Each index that counts is in exactly one piece, and no other index is in any; records in which.
 */
static bool pieces_right(const slicing *s, const sct_pieces *pieces, int64_t *piece_of) {
    int64_t index[EXTENT];
    for (int64_t i = 0; i < EXTENT; i++)
        piece_of[i] = -1;
    for (int64_t p = 0; p < pieces->count; p++) {
        const sct_piece *piece = &s->piece[p];
        if ((p > 0 && !ordered(s, piece - 1, piece)) || !list_indices(piece, index) ||
            !spans_right(s, 0, piece, index) || !spans_right(s, 1, piece, index))
            return false;
        for (int64_t i = 0; i < piece->indices.count; i++) {
            if (!counts(s, index[i]) || piece_of[index[i]] >= 0 ||
                !belong_together(s, index[0], index[i]))
                return false;
            piece_of[index[i]] = p;
        }
    }
    return true;
}

static bool all_found(const slicing *s, const int64_t *piece_of) {
    bool seen[EXTENT] = {false};
    for (int64_t i = s->dimension.range.lo; i < s->dimension.range.hi; i++) {
        if (!counts(s, i))
            continue;
        if (piece_of[i] < 0)
            return false;
        if (seen[i])
            continue;
        for (int64_t j = i; j < s->dimension.range.hi; j++)
            seen[j] |= counts(s, j) && (i == j || belong_together(s, i, j));
        if (!parts_right(s, piece_of, i))
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

/* Whether the pieces of a typical range are like those of the whole. Counts ranges that are
 * shorter.
 */
static bool typical_right(const sct_dimension *d, const sct_pieces *whole, int *shorter) {
    sct_dimension part = *d;
    part.range = sct_dimension_typical(d);
    *shorter += part.range.hi < d->range.hi;
    sct_pieces pieces;
    if (part.range.lo != d->range.lo || part.range.hi > d->range.hi ||
        sct_pieces_create(&part, &pieces) != SCT_OK)
        return false;
    bool right = pieces.sets == whole->sets;
    for (int side = 0; side < 2; side++)
        right &= pieces.scattered[side] == whole->scattered[side] &&
                 pieces.split[side] == whole->split[side];
    sct_pieces_clear(&pieces);
    return right;
}

/* Whether a short list is stored on request, and reads as before. */
static bool stores_alike(const slicing *s, sct_pieces *pieces) {
    sct_reader reader = {.pieces = NULL};
    bool alike = sct_pieces_store_few(pieces) == SCT_OK && (pieces->piece || pieces->count == 0);
    for (int64_t p = 0; p < pieces->count && alike; p++) {
        sct_piece piece;
        sct_pieces_read(pieces, p, &reader, &piece);
        alike = same_piece(&piece, &s->piece[p]);
    }
    return alike;
}

static void test_case(int number, uint64_t *random, int *shorter) {
    static slicing s;
    make_slicing(random, &s);
    const sct_dimension *d = &s.dimension;
    sct_dimension others = *d;
    sct_pieces pieces, other;
    int64_t piece_of[EXTENT];
    others.cutting = SCT_CUT_TILES;
    if (!CHECK(sct_pieces_create(d, &pieces) == SCT_OK &&
               sct_pieces_create(&others, &other) == SCT_OK))
        return;
    CHECK_CASE(reads_alike(random, &s, &pieces, &other), "case %d, cutting %d: readers", number,
               (int)d->cutting);
    CHECK_CASE(summary_right(&s, &pieces), "case %d, cutting %d, most %lld: summary", number,
               (int)d->cutting, (long long)d->most);
    CHECK_CASE(pieces_right(&s, &pieces, piece_of), "case %d, cutting %d, most %lld: pieces",
               number, (int)d->cutting, (long long)d->most);
    CHECK_CASE(all_found(&s, piece_of), "case %d, cutting %d, most %lld: groups", number,
               (int)d->cutting, (long long)d->most);
    CHECK_CASE(common_right(&s), "case %d: common indices", number);
    CHECK_CASE(typical_right(d, &pieces, shorter), "case %d: the typical range", number);
    if (d->most == 0)
        CHECK_CASE(pieces.stretches == other.count, "case %d: stretches", number);
    CHECK_CASE(stores_alike(&s, &pieces), "case %d: storing", number);
    sct_pieces_clear(&pieces);
    sct_pieces_clear(&other);
    for (int i = 0; i < AXES; i++)
        sct_axis_clear(&s.axis[i]);
}

int main(void) {
    uint64_t random = check_seed(1);
    int shorter = 0;
    for (int i = 0; i < CASES; i++)
        test_case(i, &random, &shorter);
    CHECK_CASE(shorter > CASES / 300, "only %d of %d dimensions repeat", shorter, CASES);
    return check_report("pieces");
}
