/* descriptor.h - array descriptors of ScaLAPACK, and descriptors as layouts. */
#ifndef SCT_SCALAPACK_DESCRIPTOR_H
#define SCT_SCALAPACK_DESCRIPTOR_H

#include <sectile/sectile_scalapack.h>
#include <stdbool.h>

/* The first entry of a descriptor with 9 and with 11 entries. */
enum { SCT_BLOCK_CYCLIC = 1, SCT_BLOCK_CYCLIC_FIRST = 2 };

/* All entries, in the order of a descriptor with 11: one with 9 has no first_rows and first_cols
 * (IMB and INB), which then are block_rows and block_cols. */
typedef struct sct_descriptor {
    int kind, context;
    int rows, cols;
    int first_rows, first_cols;
    int block_rows, block_cols;
    int source_row, source_col; /* -1: on all rows, or columns, of the grid */
    int ld;
} sct_descriptor;

/* A descriptor of an unknown kind keeps its kind and context; all else is 0. */
sct_descriptor sct_descriptor_read(const int *entries);

/* One dimension of a matrix: `extent` indices in blocks of `block`, the first of `first`, dealt to
 * the `coords` coordinates of the grid from `source` on. */
typedef struct sct_dealing {
    int extent, first, block, source, coords;
} sct_dealing;

sct_dealing sct_descriptor_rows(const sct_descriptor *d, int grid_rows);
sct_dealing sct_descriptor_cols(const sct_descriptor *d, int grid_cols);

/* How many of the indices below `end` a coordinate owns. */
int sct_dealing_owned(const sct_dealing *dealing, int coord, int end);

/* The dealing of `extent` indices from `begin` on, as a dimension of its own. */
sct_dealing sct_dealing_part(const sct_dealing *dealing, int begin, int extent);

/* The layout of a checked descriptor. Not collective. */
sct_status sct_layout_of_descriptor(const sct_descriptor *d, const sct_scalapack_grid *grid,
                                    sct_layout **layout);

#endif
