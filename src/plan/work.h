/* work.h - the work layout: how the m x k x n box of a product is cut and dealt to the ranks.
 *
 * It is a layout of the shape of A, B or C, which cuts the two dimensions of that matrix. Its
 * replicas share the third, free dimension. If it is the layout of that matrix, each rank works on
 * its own part of it, in place: the matrix is stationary, as in the paper. */
#ifndef SCT_PLAN_WORK_H
#define SCT_PLAN_WORK_H

#include "plan/product.h"

typedef struct sct_work_layout {
    int shape; /* the matrix whose dimensions the layout cuts */
    const sct_layout *layout;
    bool transposed;  /* the rows of the layout run along the second dimension of the shape */
    int64_t first[2]; /* row and column of the layout at which the box begins */
    bool stationary;  /* the layout is that of the matrix */
    sct_axis share;   /* deals the free dimension to the replicas in blocks; no coordinates: each
                       * replica has one range of indices */
} sct_work_layout;

/* The work that keeps a matrix stationary. */
sct_work_layout sct_work_stationary(const sct_product *product, int matrix);
/* Work cut by a layout of the shape of op(A), op(B) or C, wherever the matrices are. */
sct_work_layout sct_work_by_layout(const sct_product *product, int shape, const sct_layout *layout);
/* Likewise, but stationary if that gives each rank the work of its own part of the matrix. Fails if
 * their sizes differ, or if the layout uses more ranks than the product. */
sct_status sct_work_create(const sct_product *product, int shape, const sct_layout *layout,
                           sct_work_layout *work);

/* The indices of a dimension that a rank works on in one of its cells: those of the class, or, if
 * it has no axis, of the range. */
typedef struct sct_work_indices {
    sct_class class;
    sct_range range;
} sct_work_indices;

/* Of a cut dimension, the indices of the cell; of the free one, the share of the rank. */
sct_work_indices sct_work_find(const sct_product *product, const sct_work_layout *work, int dim,
                               int rank, sct_cell cell);
/* How many they are. */
int64_t sct_work_extent(const sct_product *product, const sct_work_layout *work, int dim, int rank,
                        sct_cell cell);
/* The axis that cuts a dimension; NULL: it is the free one, and each replica has a range of it. */
const sct_axis *sct_work_axis(const sct_work_layout *work, int dim);
/* The number of parts into which a dimension is cut. */
int sct_work_parts(const sct_work_layout *work, int dim);

/* True if the ranks use a matrix only where they own it. */
bool sct_work_keeps(const sct_work_layout *work, int matrix);
/* True if the layouts show that each element of each replica of C has one writer. */
bool sct_work_one_writer(const sct_product *product, const sct_work_layout *work);

/* The nesting of the loops, outermost first. */
void sct_work_nest(const sct_product *product, const sct_work_layout *work, int nest[SCT_DIMS]);

#endif
