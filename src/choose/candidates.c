/* candidates.c - candidate layouts: all grids, and layouts aligned with a work layout. */
#include "choose/candidates.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "plan/constants.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* The most parts of a dimension that are listed as cuts; more are cut evenly. */
enum { MOST_CUTS = 4096 };

static sct_status no_memory(void) {
    return sct_no_memory("candidates");
}

sct_status sct_candidates_add(sct_candidates *candidates, const sct_layout *layout) {
    for (int i = 0; i < candidates->count; i++)
        if (sct_layout_equal(candidates->layout[i], layout))
            return SCT_OK;
    const sct_layout **list =
        sct_memory_grow(candidates->layout, candidates->count, &candidates->room, sizeof *list);
    if (!list)
        return no_memory();
    candidates->layout = list;
    list[candidates->count++] = sct_layout_hold(layout);
    return SCT_OK;
}

void sct_candidates_clear(sct_candidates *candidates) {
    for (int i = 0; i < candidates->count; i++)
        sct_layout_destroy((sct_layout *)candidates->layout[i]);
    free(candidates->layout);
    *candidates = (sct_candidates){.count = 0};
}

/* Adds a layout and releases it. */
static sct_status add_and_release(sct_candidates *candidates, sct_layout *layout) {
    sct_status status = sct_candidates_add(candidates, layout);
    sct_layout_destroy(layout);
    return status;
}

/* A layout with one block per rank of a grid. Made from its text, so that it prints as people write
 * it. */
static sct_status create_grid(int64_t rows, int64_t cols, int grid_rows, int grid_cols, int copies,
                              int ranks, sct_layout **layout) {
    char text[64];
    int count = grid_rows * grid_cols;
    const char *line = grid_cols == 1 ? "row" : "col";
    if (grid_cols > 1 && grid_rows > 1)
        snprintf(text, sizeof text, "2d:%dx%d*%d", grid_rows, grid_cols, copies);
    else if (count * copies < ranks)
        snprintf(text, sizeof text, "%s@%d*%d", line, count, copies);
    else
        snprintf(text, sizeof text, "%s*%d", line, copies);
    return sct_layout_parse(text, rows, cols, ranks, layout);
}

/* Adds a layout with the ranks renumbered: those that differ only in one place of `which` are
 * consecutive. */
typedef enum sct_side { SCT_SIDE_REPLICAS, SCT_SIDE_ROWS } sct_side;

static sct_status add_side_by_side(const sct_layout *layout, sct_side which,
                                   sct_candidates *candidates) {
    int replicas = layout->replicas, rows = layout->rows.coords, cols = layout->cols.coords;
    bool near = which == SCT_SIDE_REPLICAS;
    const sct_stride stride[] = {{near ? replicas : rows, cols},
                                 {near ? cols * replicas : 1, rows},
                                 {near ? 1 : cols * rows, replicas}};
    sct_layout *mapped = NULL;
    sct_status status =
        sct_layout_map_strides(layout, stride, sizeof stride / sizeof *stride, &mapped);
    return status ? status : add_and_release(candidates, mapped);
}

sct_status sct_candidates_grids(int64_t rows, int64_t cols, int used, int ranks, sct_copies allowed,
                                sct_candidates *candidates) {
    sct_status status = SCT_OK;
    for (int copies = 1; copies <= (allowed ? used : 1) && !status; copies++)
        for (int r = 1; used % copies == 0 && r <= used / copies && !status; r++) {
            sct_layout *layout;
            if (used / copies % r > 0)
                continue;
            status = create_grid(rows, cols, r, used / copies / r, copies, ranks, &layout);
            if (!status && allowed >= SCT_COPIES_NEAR && copies > 1 && copies < used)
                status = add_side_by_side(layout, SCT_SIDE_REPLICAS, candidates);
            if (!status && allowed == SCT_COPIES_ANY_NEAR && r > 1 && r < used / copies)
                status = add_side_by_side(layout, SCT_SIDE_ROWS, candidates);
            if (!status)
                status = add_and_release(candidates, layout);
        }
    return status;
}

/* How one dimension of a matrix is cut: the work layout cuts it into `units`, and each of these is
 * cut into `each` parts. */
typedef struct sct_dimension_cut {
    int dim, units, each;
    const sct_axis *axis; /* axis whose classes are the units; NULL: equal shares */
    bool in_turn;         /* the units have several blocks, which their parts have in turn */
    int64_t extent;
} sct_dimension_cut;

/* A matrix aligned with a work layout: each block is shared out to the ranks that use it, which
 * differ in the dimension that the matrix lacks. */
typedef struct sct_aligned_layout {
    const sct_work_layout *work;
    int ranks; /* of the world; the work layout may use fewer */
    int copies;
    int across; /* the dimension that the matrix lacks */
    sct_dimension_cut rows, cols;
} sct_aligned_layout;

/* True if the classes are one block each, in order. */
static bool has_plain_classes(const sct_axis *axis) {
    for (int64_t block = 0; block < axis->blocks; block++)
        if (sct_axis_owner(axis, block) != block)
            return false;
    return true;
}

static sct_range unit(const sct_dimension_cut *cutter, int index) {
    if (!cutter->axis)
        return (sct_range){sct_share(cutter->extent, cutter->units, index),
                           sct_share(cutter->extent, cutter->units, index + 1)};
    if (index >= cutter->axis->blocks)
        return (sct_range){cutter->extent, cutter->extent};
    return sct_axis_bounds(cutter->axis, index);
}

/* The first index of a part. */
static int64_t begin_of(const sct_dimension_cut *cutter, int part) {
    sct_range range = unit(cutter, part / cutter->each);
    return range.lo + sct_share(range.hi - range.lo, cutter->each, part % cutter->each);
}

/* True if all parts are blocks of this size, but for the end. */
static bool is_cut_evenly(const sct_dimension_cut *cutter, int count, int64_t block) {
    bool whole = block * count == cutter->extent; /* then units are equal shares or plain blocks */
    const sct_axis *axis = cutter->axis;
    if (whole && (!axis || (!axis->bounds && axis->block == block * cutter->each)))
        return true;
    for (int part = 0; part < count; part++)
        if (begin_of(cutter, part) != sct_min(part * block, cutter->extent))
            return false;
    return true;
}

/* Makes the axis that gives each part its own coordinate. With several blocks in a unit, these are
 * dealt to more coordinates than in the work layout, but in the same order. `even`: in blocks of
 * one size even if the work is not; so are more parts than one would list as cuts. */
static sct_status cut(const sct_dimension_cut *cutter, bool even, sct_axis *axis) {
    int count = cutter->units * cutter->each;
    const sct_axis *by = cutter->axis;
    if (cutter->in_turn)
        return sct_axis_deal("work", by->extent, by->block, by->first, by->source, count, axis);
    int64_t block = cutter->extent > 0 ? (cutter->extent - 1) / count + 1 : 1;
    if (even || count > MOST_CUTS || is_cut_evenly(cutter, count, block))
        return sct_axis_deal("work", cutter->extent, block, 0, 0, count, axis);
    int64_t *cuts = malloc((size_t)count * sizeof *cuts);
    if (!cuts)
        return no_memory();
    for (int i = 1; i < count; i++)
        cuts[i - 1] = begin_of(cutter, i);
    sct_cuts list = {.blocks = count, .cuts = cuts};
    sct_status status = sct_axis_cut("work", cutter->extent, &list, NULL, 0, axis);
    free(cuts);
    return status;
}

/* A layout has chosen cuts in both dimensions or in none. Where blocks are dealt in turn, they may
 * be too many to list as cuts, so the other dimension is cut evenly. */
static sct_status create_cut(const sct_dimension_cut *rows, const sct_dimension_cut *cols,
                             int copies, int ranks, sct_layout **layout) {
    sct_axis row_axis = {.extent = 0}, col_axis = {.extent = 0};
    sct_layout *made = NULL;
    sct_status status = cut(rows, cols->in_turn, &row_axis);
    if (!status)
        status = cut(cols, rows->in_turn, &col_axis);
    if (!status)
        status = sct_layout_create_grid(&row_axis, &col_axis, &made);
    assert(status || made);
    if (!status && made->form == SCT_FORM_2D)
        status = create_grid(rows->extent, cols->extent, row_axis.coords, col_axis.coords, copies,
                             ranks, layout);
    else if (!status)
        status = sct_layout_replicate(made, copies, layout);
    sct_layout_destroy(made);
    sct_axis_clear(&row_axis);
    sct_axis_clear(&col_axis);
    return status;
}

/* ---- Which rank stores which block ---- */

/* The step from one coordinate of a dimension to the next, in positions of the work layout. */
static int step_of(const sct_work_layout *work, int dim) {
    const sct_layout *layout = work->layout;
    return dim == sct_matrix_dim(work->shape, 1)   ? 1
           : dim == sct_matrix_dim(work->shape, 0) ? layout->cols.coords
                                                   : layout->positions;
}

/* The units and parts of a dimension as strides, the fastest first: in positions of the work
 * layout, if the parts are `step` apart. */
static void list_strides(const sct_aligned_layout *aligned, const sct_dimension_cut *cutter,
                         int step, sct_stride stride[2]) {
    const sct_stride units = {step_of(aligned->work, cutter->dim), cutter->units};
    const sct_stride parts = {step, cutter->each};
    stride[0] = cutter->in_turn ? units : parts;
    stride[1] = cutter->in_turn ? parts : units;
}

/* By a table, if the ranks of the work have no pattern. */
static sct_status map_by_table(const sct_layout *work, const sct_stride *position, int strides,
                               const sct_layout *layout, sct_layout **mapped) {
    int count = layout->positions * layout->replicas;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    if (!ranks)
        return no_memory();
    bool same = true;
    for (int i = 0; i < count; i++) {
        ranks[i] = sct_layout_rank(work, (int)sct_strides_rank(position, strides, i));
        same &= ranks[i] == i;
    }
    sct_status status = SCT_OK;
    if (same)
        *mapped = (sct_layout *)sct_layout_hold(layout);
    else
        status = sct_layout_map_ranks(layout, ranks, mapped);
    free(ranks);
    return status;
}

/* Maps the blocks of a layout to the ranks that use them: to each its unit of rows and of columns,
 * and in the dimension that the matrix lacks to one place for each copy and part. */
static sct_status map(const sct_aligned_layout *aligned, const sct_layout *layout,
                      sct_layout **mapped) {
    enum { DIGITS = 5 };
    const sct_layout *work = aligned->work->layout;
    int across = step_of(aligned->work, aligned->across), each = aligned->cols.each;
    sct_stride position[DIGITS], stride[SCT_MOST_STRIDES];
    list_strides(aligned, &aligned->cols, across, position);
    list_strides(aligned, &aligned->rows, across * each, position + 2);
    position[DIGITS - 1] = (sct_stride){across * each * aligned->rows.each, aligned->copies};
    const sct_stride all = {1, work->positions * work->replicas};
    int strides = sct_strides_compose(position, DIGITS, work->strides > 0 ? work->stride : &all,
                                      work->strides > 0 ? work->strides : 1, stride);
    if (work->rank_of || strides == 0)
        return map_by_table(work, position, DIGITS, layout, mapped);
    strides = sct_strides_join(stride, strides);
    if (strides > 1)
        return sct_layout_map_strides(layout, stride, strides, mapped);
    *mapped = (sct_layout *)sct_layout_hold(layout);
    return SCT_OK;
}

static sct_status add_along(const sct_aligned_layout *aligned, sct_candidates *candidates) {
    sct_layout *layout = NULL, *mapped;
    sct_status status =
        create_cut(&aligned->rows, &aligned->cols, aligned->copies, aligned->ranks, &layout);
    if (!status)
        status = map(aligned, layout, &mapped);
    sct_layout_destroy(layout);
    return status ? status : add_and_release(candidates, mapped);
}

static sct_dimension_cut cutter_of(const sct_product *product, const sct_work_layout *work, int dim,
                                   int each) {
    const sct_axis *axis = sct_work_axis(work, dim);
    return (sct_dimension_cut){.dim = dim,
                               .units = sct_work_parts(work, dim),
                               .each = each,
                               .axis = axis,
                               .in_turn = axis && !has_plain_classes(axis),
                               .extent = product->size[dim]};
}

/* The dimension in which blocks are shared out first: k, since cutting it costs the BLAS least, or
 * the one that replicas of the work share. */
static int first_cut(const sct_work_layout *work, int matrix) {
    int shared = sct_free_dim(work->shape);
    return matrix != SCT_MAT_C              ? SCT_DIM_K
           : sct_matrix_has(matrix, shared) ? shared
                                            : sct_matrix_dim(matrix, 0);
}

sct_status sct_candidates_along(const sct_product *product, const sct_work_layout *work, int matrix,
                                bool replicas, sct_candidates *candidates) {
    const int dim[] = {sct_matrix_dim(matrix, 0), sct_matrix_dim(matrix, 1)};
    int across = sct_free_dim(matrix), users = sct_work_parts(work, across);
    if (work->layout->owner_of)
        return SCT_OK;
    for (int i = 0; i < 2; i++) {
        const sct_axis *axis = sct_work_axis(work, dim[i]);
        if (axis && axis->bounds && !has_plain_classes(axis))
            return SCT_OK;
    }
    sct_status status = SCT_OK;
    for (int copies = 1; copies <= (replicas ? users : 1) && !status; copies++)
        for (int way = 0; way < 2 && users % copies == 0 && !status; way++) {
            int parts = users / copies;
            bool rows = (way == 0) == (first_cut(work, matrix) == dim[0]);
            sct_aligned_layout aligned = {
                .work = work,
                .ranks = product->ranks,
                .copies = copies,
                .across = across,
                .rows = cutter_of(product, work, dim[0], rows ? parts : 1),
                .cols = cutter_of(product, work, dim[1], rows ? 1 : parts)};
            status = add_along(&aligned, candidates);
            if (parts == 1)
                break;
        }
    return status;
}
