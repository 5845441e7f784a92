/* layout.h - what the library itself asks of a layout.
 *
 * A layout cuts a matrix into cells: (row coordinate, column coordinate) pairs. A cell is a class
 * of rows by a class of columns, stored as one strided block. With a grid, each position of the
 * grid is a rank and has one cell; with any owners, each tile is a cell and a rank stores any
 * number of them, one block each. What is above layouts knows cells only, and so needs not tell the
 * two apart. */
#ifndef SCT_LAYOUT_LAYOUT_H
#define SCT_LAYOUT_LAYOUT_H

#include "layout/axis.h"

#include <stdatomic.h>
#include <stdbool.h>

/* How a layout was asked for, which is how it is printed. */
typedef enum sct_form {
    SCT_FORM_ROW,
    SCT_FORM_COL,
    SCT_FORM_2D,
    SCT_FORM_CYCLIC,
    SCT_FORM_CUTS
} sct_form;

struct sct_layout {
    atomic_int holders;
    sct_axis rows, cols;
    int replicas;
    int positions; /* of one replica: ranks of its grid, or ranks that its tiles are dealt to */
    int ranks;     /* one more than the highest rank used */
    sct_order order;
    sct_form form;
    bool grid_implied; /* the grid came from the number of ranks */
    /* With a grid and a rank map: position -> rank, and rank -> position or -1. Else NULL. */
    int *rank_of, *position_of;
    /* With any owners, else NULL: for tile (i, j) at i * cols.blocks + j the rank in replica 0, and
     * which of its tiles it is; and all tiles sorted by rank, those of rank r from first_of[r] on.
     */
    int *owner_of, *number_of, *tile_of, *first_of;
};

typedef struct sct_cell {
    int row, col;
} sct_cell;

/* Where a cell lies. */
typedef struct sct_place {
    int rank, block;
} sct_place;

/* Layouts are immutable and shared: whoever keeps one holds it, and destroys it in the end. */
const sct_layout *sct_layout_hold(const sct_layout *layout);

/* How many cells a rank stores, and which. */
int sct_layout_cells(const sct_layout *layout, int rank);
sct_cell sct_layout_cell(const sct_layout *layout, int rank, int block);
sct_place sct_layout_place(const sct_layout *layout, int replica, sct_cell cell);

/* A cell's stored size, as lines and elements per line in the layout's order. */
int64_t sct_layout_lines(const sct_layout *layout, sct_cell cell);
int64_t sct_layout_line_size(const sct_layout *layout, sct_cell cell);

/* What of one of a rank's cells lies in a slice of the matrix: a rectangle of the cell, as stored.
 */
typedef struct sct_part {
    sct_cell cell;
    int64_t line, at, lines, count;
} sct_part;
sct_part sct_layout_part(const sct_layout *layout, const sct_slice *slice, int rank, int block);

/* Whether two layouts put every element in the same place. Layouts that do so but were made in
 * different ways may be told apart. */
bool sct_layout_equal(const sct_layout *x, const sct_layout *y);

/* The divisors rows x cols = ranks nearest to a square, rows <= cols. */
void sct_layout_squarest(int ranks, int *rows, int *cols);

#endif
