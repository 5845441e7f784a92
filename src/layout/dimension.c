/* dimension.c - walks through the stretches of a dimension, by intersecting the blocks of two
 * axes; collects them, and sorts them by owners. */
#include "layout/dimension.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* The leading axis. Its coordinate is -1 if all of its blocks matter. */
static sct_class leading(const sct_dimension *d) {
    return d->only.axis ? d->only : (sct_class){d->axis[0], d->offset[0], -1};
}

/* The part of a block within a range. */
static sct_range block_range(const sct_axis *axis, int64_t offset, int64_t block, sct_range range) {
    sct_range bounds = sct_axis_bounds(axis, block);
    return (sct_range){sct_max(bounds.lo - offset, range.lo),
                       sct_min(bounds.hi - offset, range.hi)};
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
    sct_class lead = leading(d);
    cursor->block = lead.coord < 0 ? block : sct_axis_seek(lead.axis, lead.coord, block);
    cursor->rest = cursor->block < lead.axis->blocks
                       ? block_range(lead.axis, lead.offset, cursor->block, d->range)
                       : (sct_range){d->range.hi, d->range.hi};
}

void sct_cursor_set(const sct_dimension *d, int64_t index, sct_cursor *cursor) {
    sct_class lead = leading(d);
    *cursor = (sct_cursor){.rest = {d->range.hi, d->range.hi}};
    if (index >= d->range.hi)
        return;
    enter(d, sct_axis_block(lead.axis, index + lead.offset), cursor);
    cursor->rest.lo = sct_max(cursor->rest.lo, index);
}

bool sct_cursor_next(const sct_dimension *d, sct_cursor *cursor, sct_stretch *stretch) {
    sct_range *rest = &cursor->rest;
    while (rest->lo >= rest->hi) {
        if (rest->lo >= d->range.hi)
            return false;
        enter(d, cursor->block + 1, cursor);
    }
    int64_t block[2];
    stretch->range = *rest;
    for (int side = 0; side < 2; side++) {
        block[side] = sct_axis_block(d->axis[side], rest->lo + d->offset[side]);
        stretch->range.hi =
            block_range(d->axis[side], d->offset[side], block[side], stretch->range).hi;
    }
    for (int side = 0; side < 2; side++)
        locate(d, side, block[side], stretch);
    rest->lo = stretch->range.hi;
    return true;
}

/* The side whose coordinates have fewer blocks. */
static int coarser(const sct_dimension *d) {
    const sct_axis *x = d->axis[0], *y = d->axis[1];
    return y->blocks / y->coords < x->blocks / x->coords;
}

int64_t sct_class_size(const sct_class *class, sct_range range) {
    return sct_axis_below(class->axis, class->coord, range.hi + class->offset) -
           sct_axis_below(class->axis, class->coord, range.lo + class->offset);
}

/* The indices of a range that belong to both coordinates, counted block by block. */
static int64_t count_common(const sct_dimension *d, const int coord[2], sct_range range) {
    int lead = coarser(d), other = !lead;
    const sct_axis *axis = d->axis[lead];
    int64_t sum = 0;
    if (range.lo >= range.hi)
        return 0;
    int64_t block = sct_axis_block(axis, range.lo + d->offset[lead]);
    for (block = sct_axis_seek(axis, coord[lead], block); block < axis->blocks;
         block = sct_axis_seek(axis, coord[lead], block + 1)) {
        sct_range part = block_range(axis, d->offset[lead], block, range);
        if (part.lo >= range.hi)
            break;
        sum += sct_axis_below(d->axis[other], coord[other], part.hi + d->offset[other]) -
               sct_axis_below(d->axis[other], coord[other], part.lo + d->offset[other]);
    }
    return sum;
}

/* The number of indices after which the owners, one on each side, repeat: the least common multiple
 * of the cycles of all axes, in which each coordinate gets one block. With a single coordinate
 * blocks do not matter. Nor does a short first block, since it only shifts the cycles. Returns
 * `most` if that is less, or if nothing repeats.
 */
static int64_t period(const sct_dimension *d, int64_t most) {
    const sct_axis *axes[] = {d->axis[0], d->axis[1], d->only.axis};
    int64_t all = 1;
    for (int i = 0; i < 3; i++) {
        int64_t cycle;
        if (!axes[i] || axes[i]->coords == 1)
            continue;
        if (axes[i]->bounds || !sct_multiply_fits(axes[i]->block, axes[i]->coords, &cycle))
            return most;
        int64_t divisor = sct_common_divisor(all, cycle);
        if (divisor == 0 || !sct_multiply_fits(all / divisor, cycle, &all))
            return most;
    }
    return sct_min(all, most);
}

/* Where classes repeat, the first two periods stand for all: they contain every set of owners, and
 * every way in which an owner's blocks go on from one period to the next. */
sct_range sct_dimension_typical(const sct_dimension *d) {
    int64_t size = d->range.hi - d->range.lo;
    if (size <= 0 || d->cutting != SCT_CUT_CLASSES || d->most > 0)
        return d->range;
    int64_t repeats = period(d, size);
    return (sct_range){d->range.lo, size / repeats > 2 ? d->range.lo + 2 * repeats : d->range.hi};
}

sct_fold sct_dimension_fold(const sct_dimension *d, sct_dimension *shorter) {
    enum { KEPT = 3, LEAST = 64 };
    int64_t size = d->range.hi - d->range.lo;
    sct_fold fold = {0, 0};
    if (size > 0 && d->cutting == SCT_CUT_CLASSES)
        fold.period = period(d, size);
    if (fold.period > 0 && size / fold.period >= LEAST)
        fold.times = size / fold.period - KEPT;
    *shorter = *d;
    shorter->range.hi -= fold.times * fold.period;
    shorter->most = 0;
    return fold;
}

int64_t sct_dimension_common(const sct_dimension *d, int x, int y) {
    const int coord[2] = {x, y};
    sct_range range = d->range;
    int64_t size = range.hi - range.lo;
    if (size <= 0)
        return 0;
    int64_t repeats = period(d, size), times = size / repeats;
    if (times < 2)
        return count_common(d, coord, range);
    const sct_range once = {range.lo, range.lo + repeats};
    const sct_range rest = {range.lo + times * repeats, range.hi};
    return times * count_common(d, coord, once) + count_common(d, coord, rest);
}

/* ---- Lists of stretches ---- */

int sct_stretch_compare(const sct_stretch *l, const sct_stretch *r) {
    for (int side = 0; side < 2; side++)
        if (l->group[side] != r->group[side])
            return l->group[side] < r->group[side] ? -1 : 1;
    return l->range.lo < r->range.lo ? -1 : l->range.lo > r->range.lo;
}

static sct_status add(sct_stretches *all, const sct_stretch *one) {
    sct_stretch *list = sct_memory_grow(all->list, all->count, &all->room, sizeof *list);
    if (!list)
        return sct_no_memory("the slices of a plan");
    all->list = list;
    list[all->count++] = *one;
    return SCT_OK;
}

sct_status sct_stretches_collect(const sct_dimension *d, sct_stretches *all) {
    sct_cursor cursor;
    sct_stretch one;
    sct_status status = SCT_OK;
    sct_cursor_set(d, d->range.lo, &cursor);
    while (!status && sct_cursor_next(d, &cursor, &one))
        status = add(all, &one);
    return status;
}

static bool sorted(const sct_stretches *all) {
    for (int64_t i = 1; i < all->count; i++)
        if (sct_stretch_compare(&all->list[i - 1], &all->list[i]) > 0)
            return false;
    return true;
}

/* Counting sort by the groups of one side. next: scratch, one entry more than there are groups. */
static void deal(const sct_stretch *list, int64_t count, int side, int groups, int64_t *next,
                 sct_stretch *dealt) {
    memset(next, 0, ((size_t)groups + 1) * sizeof *next);
    for (int64_t i = 0; i < count; i++)
        next[list[i].group[side] + 1]++;
    for (int group = 0; group < groups; group++)
        next[group + 1] += next[group];
    for (int64_t i = 0; i < count; i++)
        dealt[next[list[i].group[side]]++] = list[i];
}

sct_status sct_stretches_sort(const sct_dimension *d, sct_stretches *all) {
    if (sorted(all))
        return SCT_OK;
    int groups[] = {d->axis[0]->coords, d->axis[1]->coords};
    sct_status status = SCT_OK;
    sct_stretch *other = malloc((size_t)all->count * sizeof *other);
    int64_t *next = malloc(((size_t)sct_max(groups[0], groups[1]) + 1) * sizeof *next);
    if (other && next) {
        deal(all->list, all->count, 1, groups[1], next, other);
        deal(other, all->count, 0, groups[0], next, all->list);
    } else {
        status = sct_no_memory("the slices of a plan");
    }
    free(next);
    free(other);
    return status;
}
