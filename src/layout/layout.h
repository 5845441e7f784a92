/* layout.h - layouts as the library sees them.
 *
 * A layout cuts a matrix into cells, pairs of a row and a column coordinate. A cell is a class of
 * rows by a class of columns, stored as one strided block. With a grid, each rank has one cell.
 * With arbitrary owners, each tile is a cell, and a rank stores any number of them as separate
 * blocks. Other folders see cells only, of both kinds alike. */
#ifndef SCT_LAYOUT_LAYOUT_H
#define SCT_LAYOUT_LAYOUT_H

#include "layout/axis.h"
#include "layout/strides.h"

#include <stdatomic.h>
#include <stdbool.h>

/* How a layout was specified, which decides how it prints. */
typedef enum sct_form {
    SCT_FORM_ROW,
    SCT_FORM_COL,
    SCT_FORM_2D,
    SCT_FORM_CYCLIC,
    SCT_FORM_CUTS
} sct_form;

/* An entry of a rank map. */
typedef struct sct_mapped {
    int rank, position;
} sct_mapped;

struct sct_layout {
    atomic_int holders;
    const sct_layout *source; /* owns the arrays shared with it, also those of the axes */
    sct_axis rows, cols;
    int replicas;
    int64_t share_block; /* replicas share work in blocks of so many indices; 0: one share each */
    int positions;       /* of one replica: ranks of the grid, or ranks that tiles are dealt to */
    int ranks;           /* highest rank used, plus one */
    sct_order order;
    sct_form form;
    bool grid_implied; /* the grid follows from the number of ranks */
    /* With a grid and a rank map, on a layout that has a source: strides that name as many ranks as
     * there are positions, from 0 on; or the rank of each position, and the same sorted by rank.
     * Otherwise none, and NULL. */
    int strides;
    sct_stride stride[SCT_MOST_STRIDES];
    int *rank_of;
    sct_mapped *by_rank;
    /* With arbitrary owners, otherwise NULL. For tile (i, j), at i * cols.blocks + j: its rank in
     * replica 0, and its number among that rank's tiles. And all tiles sorted by rank; those of
     * rank r begin at first_of[r]. */
    int *owner_of, *number_of, *tile_of, *first_of;
};

typedef struct sct_cell {
    int row, col;
} sct_cell;

/* The rank and block that store a cell. */
typedef struct sct_place {
    int rank, block;
} sct_place;

/* Takes a reference. Layouts are immutable and shared; each holder destroys its reference. */
const sct_layout *sct_layout_hold(const sct_layout *layout);

/* True if the layout has a rank map; and the rank at a position, counted through all replicas. */
bool sct_layout_is_mapped(const sct_layout *layout);
int sct_layout_rank(const sct_layout *layout, int position);

/* The number of cells that a rank stores, and the cell of a block. */
int sct_layout_cells(const sct_layout *layout, int rank);
sct_cell sct_layout_cell(const sct_layout *layout, int rank, int block);
sct_place sct_layout_place(const sct_layout *layout, int replica, sct_cell cell);

/* The stored size of a cell: lines, and elements per line, in the layout's order. */
int64_t sct_layout_lines(const sct_layout *layout, sct_cell cell);
int64_t sct_layout_line_size(const sct_layout *layout, sct_cell cell);

/* The bytes of the largest part of any rank. */
sct_status sct_layout_largest_part(const sct_layout *layout, sct_type type, uint64_t *bytes);

/* The part of a rank's cell inside a slice of the matrix: a rectangle of the cell, as stored. */
typedef struct sct_part {
    sct_cell cell;
    int64_t line, at, lines, count;
} sct_part;
sct_part sct_layout_part_in(const sct_layout *layout, const sct_slice *slice, int rank, int block);

static inline bool sct_slice_equal(const sct_slice *x, const sct_slice *y) {
    return x->rows.lo == y->rows.lo && x->rows.hi == y->rows.hi && x->cols.lo == y->cols.lo &&
           x->cols.hi == y->cols.hi;
}

/* Maps the ranks of a layout without a rank map by strides, of as many places as it has positions.
 */
sct_status sct_layout_map_strides(const sct_layout *layout, const sct_stride *stride, int strides,
                                  sct_layout **mapped);

/* A grid layout with copies of two axes. */
sct_status sct_layout_create_grid(const sct_axis *rows, const sct_axis *cols, sct_layout **layout);

/* True if two layouts are known to place every element alike. Layouts made in different ways may
 * compare unequal although they do. */
bool sct_layout_equal(const sct_layout *x, const sct_layout *y);

/* The factors rows x cols = ranks nearest to a square, rows <= cols. */
void sct_layout_squarest(int ranks, int *rows, int *cols);

#endif
