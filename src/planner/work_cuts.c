/* work_cuts.c - cuts a dimension equally, or as a matrix is cut, so that what a rank works on is
 * what it owns. */
#include "planner/work_cuts.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

static void destroy(sct_work_cut *cut) {
    free(cut->common[0]);
    free(cut->common[1]);
    free(cut->size);
    free(cut);
}

void sct_work_cuts_clear(sct_work_cuts *cuts) {
    for (sct_work_cut *cut = cuts->first, *next; cut; cut = next) {
        next = cut->next;
        destroy(cut);
    }
    cuts->first = NULL;
}

static int64_t equal_block(int64_t size, int parts) {
    return size > 0 ? (size - 1) / parts + 1 : 1;
}

/* Deals blocks like those of the view of an axis to so many parts. */
static sct_status deal_like(const sct_axis *axis, int64_t offset, int64_t size, int parts,
                            sct_axis *made) {
    int64_t block = sct_axis_block(axis, offset);
    int64_t first = sct_min(sct_axis_bounds(axis, block).hi - offset, axis->block);
    int source = parts == axis->coords ? sct_axis_owner(axis, block) : 0;
    return sct_axis_deal("work", size, axis->block, first, source, parts, made);
}

static bool is_dealt(const sct_axis *axis) {
    return !axis->bounds && axis->coords > 1 && axis->blocks > axis->coords;
}

/* The size of the blocks of the first axis that is dealt block-cyclically; 0: there is none. */
static int64_t dealt_block(const sct_product *product) {
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (int side = 0; side < 2; side++) {
            const sct_axis *axis = sct_product_dimension(product, dim).axis[side];
            if (is_dealt(axis))
                return axis->block;
        }
    return 0;
}

/* True if following the blocks of an axis differs from equal parts. */
static bool can_follow(const sct_axis *axis, int64_t offset, int64_t size, int parts) {
    if (axis->coords == 1 || parts == 1 || size == 0)
        return false;
    if (axis->bounds)
        return axis->coords == parts && offset == 0 && size == axis->extent;
    bool cyclic = axis->blocks > axis->coords;
    return (cyclic && axis->block < equal_block(size, parts)) ||
           (parts == axis->coords && axis->block != equal_block(size, parts));
}

static int64_t largest_part(const sct_axis *axis) {
    int64_t largest = 0;
    for (int coord = 0; coord < axis->coords; coord++)
        largest = sct_max(largest, sct_axis_class_size(axis, coord));
    return largest;
}

static sct_status make_axis(const sct_product *product, int dim, int parts, sct_cut_style style,
                            sct_axis *axis) {
    int64_t size = product->size[dim];
    if (style == SCT_CUT_EQUAL || style == SCT_CUT_AS_OTHER) {
        int64_t block = style == SCT_CUT_EQUAL ? equal_block(size, parts) : dealt_block(product);
        return sct_axis_deal("work", size, block, 0, 0, parts, axis);
    }
    sct_dimension d = sct_product_dimension(product, dim);
    int side = style == SCT_CUT_AS_SECOND;
    *axis = *d.axis[side];
    return axis->bounds ? SCT_OK : deal_like(d.axis[side], d.offset[side], size, parts, axis);
}

/* True if the dimension can be dealt in blocks of a matrix that is dealt so elsewhere, but neither
 * of its own two is. That balances what each rank moves of a matrix that is cut equally. */
static bool can_deal(const sct_product *product, int dim, int parts) {
    sct_dimension d = sct_product_dimension(product, dim);
    int64_t block = dealt_block(product);
    return block > 0 && parts > 1 && block < equal_block(product->size[dim], parts) &&
           !is_dealt(d.axis[0]) && !is_dealt(d.axis[1]);
}

static bool is_apart(const sct_product *product, int dim, int parts, sct_cut_style style) {
    sct_dimension d = sct_product_dimension(product, dim);
    if (style == SCT_CUT_AS_OTHER)
        return can_deal(product, dim, parts);
    int side = style == SCT_CUT_AS_SECOND;
    return style == SCT_CUT_EQUAL ||
           (can_follow(d.axis[side], d.offset[side], product->size[dim], parts) &&
            !(side && d.offset[0] == d.offset[1] && sct_axis_equal(d.axis[0], d.axis[1])));
}

sct_status sct_work_cuts_find(sct_work_cuts *cuts, int dim, int parts, sct_cut_style style,
                              sct_work_cut **cut) {
    *cut = NULL;
    if (!is_apart(cuts->product, dim, parts, style))
        return SCT_OK;
    for (*cut = cuts->first; *cut; *cut = (*cut)->next)
        if ((*cut)->dim == dim && (*cut)->parts == parts && (*cut)->style == style)
            return SCT_OK;
    sct_work_cut *made = calloc(1, sizeof *made);
    sct_status status = made ? make_axis(cuts->product, dim, parts, style, &made->axis)
                             : sct_no_memory("a work layout");
    if (status) {
        free(made);
        return status;
    }
    made->dim = dim;
    made->parts = parts;
    made->style = style;
    made->largest = largest_part(&made->axis);
    made->next = cuts->first;
    *cut = cuts->first = made;
    return SCT_OK;
}

/* Counts the indices of each pair of owners: by arithmetic if there are more blocks than pairs,
 * else block by block. */
static void count_side(const sct_dimension *d, int parts, double *common) {
    int coords = d->axis[0]->coords;
    sct_cursor cursor;
    sct_stretch stretch;
    if (sct_max(d->axis[0]->blocks, d->axis[1]->blocks) > (int64_t)coords * parts) {
        for (int x = 0; x < coords; x++)
            for (int y = 0; y < parts; y++)
                common[(int64_t)x * parts + y] = (double)sct_dimension_common(d, x, y);
        return;
    }
    sct_cursor_set(d, d->range.lo, &cursor);
    while (sct_cursor_next(d, &cursor, &stretch))
        common[(int64_t)stretch.coord[0] * parts + stretch.coord[1]] +=
            (double)sct_range_length(stretch.range);
}

sct_status sct_work_cut_count(const sct_product *product, sct_work_cut *cut) {
    sct_dimension d = sct_product_dimension(product, cut->dim);
    if (cut->size)
        return SCT_OK;
    cut->size = calloc((size_t)cut->parts, sizeof *cut->size);
    for (int side = 0; side < 2; side++)
        cut->common[side] =
            calloc((size_t)d.axis[side]->coords * (size_t)cut->parts, sizeof *cut->common[side]);
    if (!cut->size || !cut->common[0] || !cut->common[1])
        return sct_no_memory("a work layout");
    for (int part = 0; part < cut->parts; part++)
        cut->size[part] = (double)sct_axis_class_size(&cut->axis, part);
    for (int side = 0; side < 2; side++) {
        sct_dimension with = {
            .axis = {d.axis[side], &cut->axis}, .offset = {d.offset[side], 0}, .range = d.range};
        count_side(&with, cut->parts, cut->common[side]);
    }
    return SCT_OK;
}
