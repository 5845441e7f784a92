/* convert.c - from descriptors to layouts, and back, for callers of the library. */
#include "scalapack/descriptor.h"
#include "scalapack/program.h"

#include "base/status.h"

#include <limits.h>

/* The grid of the caller, or else that of the context. */
static sct_status find_grid(const void *caller, int context, const sct_scalapack_grid *given,
                            sct_scalapack_grid *found) {
    sct_grid grid;
    if (given && given->size != sizeof *given)
        return sct_fail(SCT_BAD_ARGUMENT, "the grid has %zu bytes, not %zu", given->size,
                        sizeof *given);
    if (given && (given->rows < 1 || given->cols < 1))
        return sct_fail(SCT_BAD_ARGUMENT, "there is no grid of %d x %d", given->rows, given->cols);
    if (given && given->rows > INT_MAX / given->cols)
        return sct_fail(SCT_TOO_LARGE, "a grid of %dx%d is more than %d ranks", given->rows,
                        given->cols, INT_MAX);
    if (given) {
        *found = *given;
        return SCT_OK;
    }
    sct_status status = sct_program_grid(sct_program_of(caller), context, &grid);
    if (!status && grid.rows < 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "this process is not in the context %d", context);
    if (!status)
        *found = (sct_scalapack_grid){sizeof *found, grid.rows, grid.cols, NULL};
    return status;
}

static sct_status check_descriptor(const sct_descriptor *d, const sct_scalapack_grid *grid) {
    if (d->kind != SCT_BLOCK_CYCLIC && d->kind != SCT_BLOCK_CYCLIC_FIRST)
        return sct_fail(SCT_BAD_ARGUMENT, "a descriptor of kind %d is not block-cyclic", d->kind);
    if (d->rows < 0 || d->cols < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "descriptor: there is no matrix of %d x %d", d->rows,
                        d->cols);
    if (d->block_rows < 1 || d->block_cols < 1 || d->first_rows < 1 || d->first_cols < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "descriptor: a block is empty");
    if (d->source_row < -1 || d->source_row >= grid->rows || d->source_col < -1 ||
        d->source_col >= grid->cols)
        return sct_fail(SCT_BAD_ARGUMENT, "descriptor: source (%d, %d) is not on a grid of %d x %d",
                        d->source_row, d->source_col, grid->rows, grid->cols);
    return SCT_OK;
}

sct_status sct_layout_from_scalapack(const int *descriptor, const sct_scalapack_grid *grid,
                                     sct_layout **layout) {
    sct_scalapack_grid found;
    sct_status status = sct_check_given("descriptor", descriptor);
    if (!status)
        status = sct_check_output("layout", layout);
    if (status)
        return status;
    sct_descriptor d = sct_descriptor_read(descriptor);
    status = find_grid(__builtin_return_address(0), d.context, grid, &found);
    if (!status)
        status = check_descriptor(&d, &found);
    return status ? status : sct_layout_of_descriptor(&d, &found, layout);
}

/* ---- And back ---- */

static int64_t length(sct_range range) {
    return range.hi - range.lo;
}

/* The blocks of a dimension: the first, and the others. Of a last block that may be cut short,
 * only the least is known. */
static void measure(const sct_layout *layout, bool rows, int *first, int *block) {
    int64_t extent = rows ? sct_layout_rows(layout) : sct_layout_cols(layout);
    sct_slice tile = sct_layout_tile(layout, 0, 0);
    sct_range one = rows ? tile.rows : tile.cols;
    *first = *block = (int)length(one);
    if (one.hi >= extent)
        return;
    tile = sct_layout_tile(layout, rows ? one.hi : 0, rows ? 0 : one.hi);
    sct_range two = rows ? tile.rows : tile.cols;
    bool last = two.hi >= extent;
    if (!last || length(two) > *first)
        *block = (int)length(two);
}

static bool same_tile(const sct_layout *x, const sct_layout *y, int64_t i, int64_t j) {
    sct_slice a = sct_layout_tile(x, i, j), b = sct_layout_tile(y, i, j);
    bool same = a.rows.hi == b.rows.hi && a.cols.hi == b.cols.hi;
    for (int r = 0; r < sct_layout_replicas(x) && same; r++)
        same = sct_layout_owner(x, r, i, j) == sct_layout_owner(y, r, i, j);
    return same;
}

/* True if each rank stores the same of both. Without columns there is nothing to look at, however
 * many rows there are. */
static bool same_layout(const sct_layout *x, const sct_layout *y) {
    bool same = sct_layout_order(x) == sct_layout_order(y) &&
                sct_layout_replicas(x) == sct_layout_replicas(y);
    int64_t rows = sct_layout_rows(x), cols = sct_layout_cols(x);
    for (int64_t i = 0; i < rows && cols > 0 && same; i = sct_layout_tile(x, i, 0).rows.hi)
        for (int64_t j = 0; j < cols && same; j = sct_layout_tile(x, i, j).cols.hi)
            same = same_tile(x, y, i, j);
    return same;
}

/* The position of a rank; -1: none. */
static int position_of(const sct_scalapack_grid *grid, int rank) {
    for (int i = 0; i < grid->rows * grid->cols; i++)
        if ((grid->ranks ? grid->ranks[i] : i) == rank)
            return i;
    return -1;
}

static void write_descriptor(const sct_descriptor *d, int entries[11]) {
    const int all[11] = {d->kind,       d->context,    d->rows,       d->cols,
                         d->first_rows, d->first_cols, d->block_rows, d->block_cols,
                         d->source_row, d->source_col, d->ld};
    for (int i = 0; i < 11; i++)
        entries[i] = all[i];
}

/* Tries the sources, of which each may be -1. */
static sct_status find_sources(const sct_layout *layout, const sct_scalapack_grid *grid,
                               sct_descriptor *d) {
    bool empty = d->rows == 0 || d->cols == 0;
    int position = empty ? 0 : position_of(grid, sct_layout_owner(layout, 0, 0, 0));
    sct_status status = SCT_OK;
    for (int all = 0; all < 4 && position >= 0 && !status; all++) {
        sct_layout *made = NULL;
        d->source_row = all & 1 ? -1 : position / grid->cols;
        d->source_col = all & 2 ? -1 : position % grid->cols;
        status = sct_layout_of_descriptor(d, grid, &made);
        bool found = !status && same_layout(layout, made);
        sct_layout_destroy(made);
        if (found)
            return SCT_OK;
    }
    return status ? status
                  : sct_fail(SCT_BAD_ARGUMENT, "the layout is not block-cyclic on this grid");
}

sct_status sct_layout_to_scalapack(const sct_layout *layout, const sct_scalapack_grid *grid,
                                   int context, int rank, int ld, int descriptor[11]) {
    sct_scalapack_grid found;
    sct_status status = sct_check_given("layout", layout);
    if (!status)
        status = sct_check_output("descriptor", descriptor);
    if (!status)
        status = find_grid(__builtin_return_address(0), context, grid, &found);
    if (status)
        return status;
    if (sct_layout_rows(layout) > INT_MAX || sct_layout_cols(layout) > INT_MAX)
        return sct_fail(SCT_TOO_LARGE, "a descriptor has no room for this many rows or columns");
    sct_descriptor d = {.kind = SCT_BLOCK_CYCLIC_FIRST,
                        .context = context,
                        .rows = (int)sct_layout_rows(layout),
                        .cols = (int)sct_layout_cols(layout),
                        .first_rows = 1,
                        .first_cols = 1,
                        .block_rows = 1,
                        .block_cols = 1};
    if (d.rows > 0 && d.cols > 0) {
        measure(layout, true, &d.first_rows, &d.block_rows);
        measure(layout, false, &d.first_cols, &d.block_cols);
    }
    status = find_sources(layout, &found, &d);
    if (status)
        return status;
    int position = position_of(&found, rank);
    sct_dealing rows = sct_descriptor_rows(&d, found.rows);
    int least = position < 0 ? 0 : sct_dealing_owned(&rows, position / found.cols, d.rows);
    d.ld = ld > 0 ? ld : least > 0 ? least : 1;
    write_descriptor(&d, descriptor);
    return SCT_OK;
}
