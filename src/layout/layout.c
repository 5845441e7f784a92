/* layout.c - finds where cells are stored. */
#include "layout/layout.h"

#include "base/checked.h"
#include "base/status.h"
#include "base/type.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const sct_layout *sct_layout_hold(const sct_layout *layout) {
    atomic_fetch_add(&((sct_layout *)layout)->holders, 1);
    return layout;
}

void sct_layout_destroy(sct_layout *layout) {
    if (!layout || atomic_fetch_sub(&layout->holders, 1) > 1)
        return;
    const sct_layout *source = layout->source;
    if (source && !source->rank_of) {
        free(layout->rank_of);
        free(layout->by_rank);
    } else if (!source) {
        sct_axis_clear(&layout->rows);
        sct_axis_clear(&layout->cols);
        free(layout->owner_of);
        free(layout->number_of);
        free(layout->tile_of);
        free(layout->first_of);
    }
    sct_layout_destroy((sct_layout *)source);
    free(layout);
}

static int mapped_position(const sct_layout *layout, int rank) {
    int below = 0, end = layout->positions * layout->replicas;
    while (below < end) {
        int middle = below + (end - below) / 2;
        if (layout->by_rank[middle].rank == rank)
            return layout->by_rank[middle].position;
        if (layout->by_rank[middle].rank < rank)
            below = middle + 1;
        else
            end = middle;
    }
    return -1;
}

/* The position of a rank over all replicas, or -1. */
static int position(const sct_layout *layout, int rank) {
    if (rank >= layout->ranks)
        return -1;
    if (layout->strides > 0)
        return (int)sct_strides_place(layout->stride, layout->strides, rank);
    return layout->by_rank ? mapped_position(layout, rank) : rank;
}

bool sct_layout_is_mapped(const sct_layout *layout) {
    return layout->strides > 0 || layout->rank_of;
}

int sct_layout_rank(const sct_layout *layout, int position) {
    return layout->strides > 0 ? (int)sct_strides_rank(layout->stride, layout->strides, position)
           : layout->rank_of   ? layout->rank_of[position]
                               : position;
}

int sct_layout_home(const sct_layout *layout, int rank) {
    int at = position(layout, rank);
    return at < 0 ? rank % layout->replicas : at / layout->positions;
}

int sct_layout_cells(const sct_layout *layout, int rank) {
    int at = position(layout, rank);
    if (at < 0)
        return 0;
    if (!layout->owner_of)
        return 1;
    at %= layout->positions;
    return layout->first_of[at + 1] - layout->first_of[at];
}

sct_cell sct_layout_cell(const sct_layout *layout, int rank, int block) {
    int at = position(layout, rank) % layout->positions;
    if (!layout->owner_of)
        return (sct_cell){at / layout->cols.coords, at % layout->cols.coords};
    int tile = layout->tile_of[layout->first_of[at] + block];
    return (sct_cell){tile / layout->cols.coords, tile % layout->cols.coords};
}

sct_place sct_layout_place(const sct_layout *layout, int replica, sct_cell cell) {
    int before = replica * layout->positions;
    int at = cell.row * layout->cols.coords + cell.col;
    if (layout->owner_of)
        return (sct_place){before + layout->owner_of[at], layout->number_of[at]};
    return (sct_place){sct_layout_rank(layout, before + at), 0};
}

int64_t sct_layout_lines(const sct_layout *layout, sct_cell cell) {
    return layout->order == SCT_ROW_MAJOR ? sct_axis_class_size(&layout->rows, cell.row)
                                          : sct_axis_class_size(&layout->cols, cell.col);
}

int64_t sct_layout_line_size(const sct_layout *layout, sct_cell cell) {
    return layout->order == SCT_ROW_MAJOR ? sct_axis_class_size(&layout->cols, cell.col)
                                          : sct_axis_class_size(&layout->rows, cell.row);
}

static sct_range clip(const sct_axis *axis, int coord, sct_range range) {
    return (sct_range){sct_axis_below(axis, coord, range.lo),
                       sct_axis_below(axis, coord, range.hi)};
}

sct_part sct_layout_part_in(const sct_layout *layout, const sct_slice *slice, int rank, int block) {
    sct_cell cell = sct_layout_cell(layout, rank, block);
    sct_range rows = clip(&layout->rows, cell.row, slice->rows);
    sct_range cols = clip(&layout->cols, cell.col, slice->cols);
    bool by_rows = layout->order == SCT_ROW_MAJOR;
    sct_range lines = by_rows ? rows : cols, within = by_rows ? cols : rows;
    return (sct_part){cell, lines.lo, within.lo, lines.hi - lines.lo, within.hi - within.lo};
}

static bool same_array(const int *x, const int *y, size_t count) {
    return !x == !y && (!x || memcmp(x, y, count * sizeof *x) == 0);
}

bool sct_layout_equal(const sct_layout *x, const sct_layout *y) {
    if (x == y)
        return true;
    if (x->replicas != y->replicas || x->share_block != y->share_block ||
        x->positions != y->positions || x->order != y->order ||
        !sct_axis_equal(&x->rows, &y->rows) || !sct_axis_equal(&x->cols, &y->cols))
        return false;
    if (x->strides != y->strides ||
        memcmp(x->stride, y->stride, (size_t)x->strides * sizeof *x->stride) != 0)
        return false;
    size_t cells = (size_t)x->rows.coords * (size_t)x->cols.coords;
    return same_array(x->rank_of, y->rank_of, (size_t)x->positions * (size_t)x->replicas) &&
           same_array(x->owner_of, y->owner_of, cells);
}

void sct_layout_squarest(int ranks, int *rows, int *cols) {
    int best = 1;
    for (int r = 2; r <= ranks / r; r++)
        if (ranks % r == 0)
            best = r;
    *rows = best;
    *cols = ranks / best;
}

int64_t sct_layout_rows(const sct_layout *layout) {
    return layout->rows.extent;
}

int64_t sct_layout_cols(const sct_layout *layout) {
    return layout->cols.extent;
}

int sct_layout_replicas(const sct_layout *layout) {
    return layout->replicas;
}

int sct_layout_ranks(const sct_layout *layout) {
    return layout->ranks;
}

sct_order sct_layout_order(const sct_layout *layout) {
    return layout->order;
}

int sct_layout_owner(const sct_layout *layout, int replica, int64_t row, int64_t col) {
    sct_cell cell = {sct_axis_owner(&layout->rows, sct_axis_block(&layout->rows, row)),
                     sct_axis_owner(&layout->cols, sct_axis_block(&layout->cols, col))};
    return sct_layout_place(layout, replica, cell).rank;
}

sct_slice sct_layout_tile(const sct_layout *layout, int64_t row, int64_t col) {
    return (sct_slice){sct_axis_bounds(&layout->rows, sct_axis_block(&layout->rows, row)),
                       sct_axis_bounds(&layout->cols, sct_axis_block(&layout->cols, col))};
}

sct_status sct_layout_bytes(const sct_layout *layout, sct_type type, int rank, size_t *bytes) {
    sct_status status = sct_check_given("layout", layout);
    if (!status)
        status = sct_check_output("bytes", bytes);
    if (!status)
        status = sct_check_type(type);
    if (status)
        return status;
    if (rank < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "rank %d is negative", rank);
    int64_t sum = 0;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell cell = sct_layout_cell(layout, rank, block);
        int64_t elements, size;
        if (!sct_multiply_fits(sct_layout_lines(layout, cell), sct_layout_line_size(layout, cell),
                               &elements) ||
            !sct_multiply_fits(elements, (int64_t)sct_type_bytes(type), &size) ||
            !sct_add_fits(sum, size, &sum))
            return sct_fail(SCT_TOO_LARGE, "the part of rank %d has more than 2^63 bytes", rank);
    }
    *bytes = (size_t)sum;
    return SCT_OK;
}

/* With a grid, some rank has the largest classes of rows and of columns. */
sct_status sct_layout_largest_part(const sct_layout *layout, sct_type type, uint64_t *bytes) {
    int64_t most = 0;
    if (!layout->owner_of && (!sct_multiply_fits(sct_axis_largest_class(&layout->rows),
                                                 sct_axis_largest_class(&layout->cols), &most) ||
                              !sct_multiply_fits(most, (int64_t)sct_type_bytes(type), &most)))
        return sct_fail(SCT_TOO_LARGE, "the largest part has more than 2^63 bytes");
    for (int rank = 0; layout->owner_of && rank < layout->ranks; rank++) {
        size_t part = 0;
        sct_status status = sct_layout_bytes(layout, type, rank, &part);
        if (status)
            return status;
        most = sct_max(most, (int64_t)part);
    }
    *bytes = (uint64_t)most;
    return SCT_OK;
}
