/* dimension.c - walks through the stretches of a dimension, by intersecting the blocks of two axes.
 */
#include "layout/dimension.h"

#include "base/checked.h"

static int leading(const sct_dimension *d) {
    return d->only[1] >= 0;
}

/* The part of a block within the dimension's range. */
static sct_range block_range(const sct_dimension *d, int side, int64_t block) {
    sct_range bounds = sct_axis_bounds(d->axis[side], block);
    return (sct_range){sct_max(bounds.lo - d->offset[side], d->range.lo),
                       sct_min(bounds.hi - d->offset[side], d->range.hi)};
}

static void locate(const sct_dimension *d, int side, int64_t block, sct_stretch *s) {
    const sct_axis *axis = d->axis[side];
    s->coord[side] = sct_axis_owner(axis, block);
    s->group[side] = d->ignore_owners[side] ? 0 : s->coord[side];
    s->at[side] = sct_axis_position(axis, block) + s->range.lo + d->offset[side] -
                  sct_axis_bounds(axis, block).lo;
}

/* Moves to the first block from `block` on that matters. */
static void enter(const sct_dimension *d, int64_t block, sct_cursor *cursor) {
    int lead = leading(d), coord = d->only[lead];
    const sct_axis *axis = d->axis[lead];
    cursor->block = coord < 0 ? block : sct_axis_seek(axis, coord, block);
    cursor->rest = cursor->block < axis->blocks ? block_range(d, lead, cursor->block)
                                                : (sct_range){d->range.hi, d->range.hi};
}

void sct_cursor_set(const sct_dimension *d, int64_t index, sct_cursor *cursor) {
    int lead = leading(d);
    *cursor = (sct_cursor){.rest = {d->range.hi, d->range.hi}};
    if (index >= d->range.hi)
        return;
    enter(d, sct_axis_block(d->axis[lead], index + d->offset[lead]), cursor);
    cursor->rest.lo = sct_max(cursor->rest.lo, index);
}

bool sct_cursor_next(const sct_dimension *d, sct_cursor *cursor, sct_stretch *stretch) {
    int lead = leading(d), other = !lead;
    sct_range *rest = &cursor->rest;
    while (rest->lo >= rest->hi) {
        if (rest->lo >= d->range.hi)
            return false;
        enter(d, cursor->block + 1, cursor);
    }
    int64_t opposite = sct_axis_block(d->axis[other], rest->lo + d->offset[other]);
    stretch->range = (sct_range){rest->lo, sct_min(rest->hi, block_range(d, other, opposite).hi)};
    locate(d, lead, cursor->block, stretch);
    locate(d, other, opposite, stretch);
    rest->lo = stretch->range.hi;
    return true;
}

/* The side whose coordinates have fewer blocks. */
static int coarser(const sct_dimension *d) {
    const sct_axis *x = d->axis[0], *y = d->axis[1];
    return y->blocks / y->coords < x->blocks / x->coords;
}

int64_t sct_dimension_common(const sct_dimension *d, int x, int y) {
    int lead = coarser(d), other = !lead;
    const int coord[2] = {x, y};
    const sct_axis *axis = d->axis[lead];
    int64_t sum = 0;
    if (d->range.lo >= d->range.hi)
        return 0;
    int64_t block = sct_axis_block(axis, d->range.lo + d->offset[lead]);
    for (block = sct_axis_seek(axis, coord[lead], block); block < axis->blocks;
         block = sct_axis_seek(axis, coord[lead], block + 1)) {
        sct_range part = block_range(d, lead, block);
        if (part.lo >= d->range.hi)
            break;
        sum += sct_axis_below(d->axis[other], coord[other], part.hi + d->offset[other]) -
               sct_axis_below(d->axis[other], coord[other], part.lo + d->offset[other]);
    }
    return sum;
}
