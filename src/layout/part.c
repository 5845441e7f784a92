/* part.c - the part of a matrix that a rank stores: its size, and its indices in the matrix. */
#include "layout/layout.h"

int sct_layout_parts(const sct_layout *layout, int rank) {
    return rank < 0 ? 0 : sct_layout_cells(layout, rank);
}

/* The index of the matrix at a place of a coordinate's class; -1: none. */
static int64_t to_global(const sct_axis *axis, int coord, int64_t local) {
    if (local < 0 || local >= sct_axis_class_size(axis, coord))
        return -1;
    int64_t lo = 0,
            hi = axis->extent - 1; /* the first index up to which there are more than that */
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (sct_axis_below(axis, coord, middle + 1) > local)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

static int64_t to_local(const sct_axis *axis, int coord, int64_t global) {
    if (global < 0 || global >= axis->extent ||
        sct_axis_owner(axis, sct_axis_block(axis, global)) != coord)
        return -1;
    return sct_axis_below(axis, coord, global);
}

static bool find(const sct_layout *layout, int rank, int part, sct_cell *cell) {
    bool found = part >= 0 && part < sct_layout_parts(layout, rank);
    if (found)
        *cell = sct_layout_cell(layout, rank, part);
    return found;
}

sct_position sct_layout_part(const sct_layout *layout, int rank, int part) {
    sct_cell cell;
    if (!find(layout, rank, part, &cell))
        return (sct_position){0, 0};
    return (sct_position){sct_axis_class_size(&layout->rows, cell.row),
                          sct_axis_class_size(&layout->cols, cell.col)};
}

sct_position sct_layout_to_global(const sct_layout *layout, int rank, int part,
                                  sct_position local) {
    sct_cell cell;
    if (!find(layout, rank, part, &cell))
        return (sct_position){-1, -1};
    return (sct_position){to_global(&layout->rows, cell.row, local.row),
                          to_global(&layout->cols, cell.col, local.col)};
}

sct_position sct_layout_to_local(const sct_layout *layout, int rank, int part,
                                 sct_position global) {
    sct_cell cell;
    if (!find(layout, rank, part, &cell))
        return (sct_position){-1, -1};
    return (sct_position){to_local(&layout->rows, cell.row, global.row),
                          to_local(&layout->cols, cell.col, global.col)};
}
