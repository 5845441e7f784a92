/* pieces.c - intersects the classes or blocks of two axes.
 *
 * First the dimension is cut into stretches, each in one block of either axis; then stretches are
 * sorted by their pair of owners and joined into pieces. */
#include "layout/pieces.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct stretch {
    sct_range range;
    int coord[2];
    int64_t at[2];
    int group[2]; /* the coordinates, where they part pieces */
} stretch;

typedef struct stretches {
    int64_t count, room;
    stretch *list;
} stretches;

static sct_status no_memory(void) {
    return sct_fail(SCT_NO_MEMORY, "no memory for the slices of a plan");
}

static sct_status add_stretch(stretches *all, const stretch *one) {
    if (all->count == all->room) {
        int64_t room = all->room ? 2 * all->room : 16;
        stretch *list = realloc(all->list, (size_t)room * sizeof *list);
        if (!list)
            return no_memory();
        all->list = list;
        all->room = room;
    }
    all->list[all->count++] = *one;
    return SCT_OK;
}

/* The part of a block that lies in the dimension's range. */
static sct_range block_range(const sct_dimension *d, int side, int64_t block) {
    sct_range bounds = sct_axis_bounds(d->axis[side], block);
    return (sct_range){sct_max(bounds.lo - d->offset[side], d->range.lo),
                       sct_min(bounds.hi - d->offset[side], d->range.hi)};
}

static void locate(const sct_dimension *d, int side, int64_t block, stretch *s) {
    const sct_axis *axis = d->axis[side];
    s->coord[side] = sct_axis_owner(axis, block);
    s->group[side] = d->merge[side] ? 0 : s->coord[side];
    s->at[side] = sct_axis_position(axis, block) + s->range.lo + d->offset[side] -
                  sct_axis_bounds(axis, block).lo;
}

/* All stretches of one block of the leading side. */
static sct_status meet_block(const sct_dimension *d, int lead, int64_t block, stretches *all) {
    int other = !lead;
    sct_range part = block_range(d, lead, block);
    while (part.lo < part.hi) {
        int64_t opposite = sct_axis_block(d->axis[other], part.lo + d->offset[other]);
        stretch s = {.range = {part.lo, sct_min(part.hi, block_range(d, other, opposite).hi)}};
        locate(d, lead, block, &s);
        locate(d, other, opposite, &s);
        sct_status status = add_stretch(all, &s);
        if (status)
            return status;
        part.lo = s.range.hi;
    }
    return SCT_OK;
}

static int64_t next_block(const sct_dimension *d, int lead, int64_t from) {
    int coord = d->only[lead];
    return coord < 0 ? from : sct_axis_seek(d->axis[lead], coord, from);
}

static sct_status collect(const sct_dimension *d, stretches *all) {
    int lead = d->only[1] >= 0;
    const sct_axis *axis = d->axis[lead];
    if (d->range.lo >= d->range.hi)
        return SCT_OK;
    int64_t last = sct_axis_block(axis, d->range.hi - 1 + d->offset[lead]);
    int64_t block = next_block(d, lead, sct_axis_block(axis, d->range.lo + d->offset[lead]));
    sct_status status = SCT_OK;
    for (; block <= last && block < axis->blocks && !status; block = next_block(d, lead, block + 1))
        status = meet_block(d, lead, block, all);
    return status;
}

static int compare(const void *left, const void *right) {
    const stretch *l = left, *r = right;
    for (int side = 0; side < 2; side++)
        if (l->group[side] != r->group[side])
            return l->group[side] < r->group[side] ? -1 : 1;
    return l->range.lo < r->range.lo ? -1 : l->range.lo > r->range.lo;
}

static bool same_group(const stretch *l, const stretch *r) {
    return l->group[0] == r->group[0] && l->group[1] == r->group[1];
}

static bool continues(const stretch *l, const stretch *r) {
    int64_t count = l->range.hi - l->range.lo;
    return same_group(l, r) && l->at[0] + count == r->at[0] && l->at[1] + count == r->at[1];
}

/* Whether two neighbours in the sorted list belong to one piece. */
static bool together(sct_cutting cutting, const stretch *l, const stretch *r) {
    switch (cutting) {
    case SCT_CUT_CLASSES:
        return same_group(l, r);
    case SCT_CUT_RUNS:
        return continues(l, r);
    case SCT_CUT_TILES:
        break;
    }
    return false;
}

/* Appends part of a stretch to the last piece, joining what is contiguous. */
static void append(sct_piece *piece, const stretch *s, int64_t skip, int64_t count) {
    sct_range *ranges = (sct_range *)piece->indices.range;
    int64_t lo = s->range.lo + skip;
    if (piece->indices.ranges && ranges[piece->indices.ranges - 1].hi == lo)
        ranges[piece->indices.ranges - 1].hi += count;
    else
        ranges[piece->indices.ranges++] = (sct_range){lo, lo + count};
    piece->indices.count += count;
    for (int side = 0; side < 2; side++) {
        sct_spans *spans = &piece->side[side];
        sct_span *span = (sct_span *)spans->span;
        sct_span *last = spans->count ? span + spans->count - 1 : NULL;
        int64_t at = s->at[side] + skip;
        if (last && last->coord == s->coord[side] && last->at + last->count == at)
            last->count += count;
        else
            span[spans->count++] = (sct_span){at, count, s->coord[side]};
    }
}

/* Its arrays begin where those of the piece before it end. */
static sct_piece *new_piece(sct_pieces *pieces) {
    sct_piece *piece = &pieces->piece[pieces->count];
    *piece = (sct_piece){.indices.range = pieces->ranges,
                         .side = {{.span = pieces->spans[0]}, {.span = pieces->spans[1]}}};
    if (pieces->count++) {
        const sct_piece *last = piece - 1;
        piece->indices.range = last->indices.range + last->indices.ranges;
        for (int side = 0; side < 2; side++)
            piece->side[side].span = last->side[side].span + last->side[side].count;
    }
    return piece;
}

/* Makes pieces of list[0 .. count), which belong together, in equal parts of at most `most`
 * indices. */
static void cut_group(const stretch *list, int64_t count, int64_t most, sct_pieces *pieces) {
    int64_t total = 0;
    for (int64_t i = 0; i < count; i++)
        total += list[i].range.hi - list[i].range.lo;
    int64_t parts = most ? (total - 1) / most + 1 : 1;
    int64_t done = 0, part = 1;
    sct_piece *piece = new_piece(pieces);
    for (int64_t i = 0; i < count; i++) {
        int64_t size = list[i].range.hi - list[i].range.lo;
        for (int64_t skip = 0; skip < size;) {
            int64_t bound = total / parts * part + sct_min(part, total % parts);
            if (done == bound) {
                piece = new_piece(pieces);
                part++;
                continue;
            }
            int64_t step = sct_min(size - skip, bound - done);
            append(piece, &list[i], skip, step);
            skip += step;
            done += step;
        }
    }
}

static sct_status join(const sct_dimension *d, stretches *all, sct_pieces *pieces) {
    if (d->cutting != SCT_CUT_TILES)
        qsort(all->list, (size_t)all->count, sizeof *all->list, compare);
    int64_t length = d->range.hi - d->range.lo;
    size_t room = (size_t)(all->count + (d->most ? length / d->most + all->count : 0));
    *pieces = (sct_pieces){.piece = malloc(room * sizeof *pieces->piece),
                           .ranges = malloc(room * sizeof *pieces->ranges),
                           .spans = {malloc(room * sizeof *pieces->spans[0]),
                                     malloc(room * sizeof *pieces->spans[1])}};
    if (!pieces->piece || !pieces->ranges || !pieces->spans[0] || !pieces->spans[1]) {
        sct_pieces_clear(pieces);
        return no_memory();
    }
    for (int64_t from = 0, to; from < all->count; from = to) {
        for (to = from + 1; to < all->count; to++)
            if (!together(d->cutting, &all->list[to - 1], &all->list[to]))
                break;
        cut_group(all->list + from, to - from, d->most, pieces);
    }
    for (int64_t i = 0; i < pieces->count; i++) {
        pieces->largest = sct_max(pieces->largest, pieces->piece[i].indices.count);
        pieces->total += pieces->piece[i].indices.count;
    }
    return SCT_OK;
}

sct_status sct_pieces_create(const sct_dimension *dimension, sct_pieces *pieces) {
    stretches all = {0, 0, NULL};
    sct_status status = collect(dimension, &all);
    *pieces = (sct_pieces){.count = 0};
    if (!status && all.count > 0)
        status = join(dimension, &all, pieces);
    free(all.list);
    return status;
}

void sct_pieces_clear(sct_pieces *pieces) {
    free(pieces->piece);
    free(pieces->ranges);
    free(pieces->spans[0]);
    free(pieces->spans[1]);
    *pieces = (sct_pieces){.count = 0};
}

bool sct_pieces_scattered(const sct_pieces *pieces, int side) {
    for (int64_t i = 0; i < pieces->count; i++)
        if (pieces->piece[i].side[side].count > 1)
            return true;
    return false;
}

bool sct_pieces_parted(const sct_pieces *pieces, int side) {
    for (int64_t i = 1; i < pieces->count; i++)
        if (pieces->piece[i].side[side].span->coord != pieces->piece[0].side[side].span->coord)
            return true;
    return false;
}

int64_t sct_dimension_common(const sct_dimension *d, int x, int y) {
    const sct_axis *axis = d->axis[0];
    int64_t sum = 0;
    if (d->range.lo >= d->range.hi)
        return 0;
    int64_t block = sct_axis_block(axis, d->range.lo + d->offset[0]);
    for (block = sct_axis_seek(axis, x, block); block < axis->blocks;
         block = sct_axis_seek(axis, x, block + 1)) {
        sct_range part = block_range(d, 0, block);
        if (part.lo >= d->range.hi)
            break;
        sum += sct_axis_below(d->axis[1], y, part.hi + d->offset[1]) -
               sct_axis_below(d->axis[1], y, part.lo + d->offset[1]);
    }
    return sum;
}
