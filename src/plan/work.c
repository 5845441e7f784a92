/* work.c - how the box of a product is cut and dealt to the ranks. */
#include "plan/work.h"

#include "base/checked.h"
#include "base/status.h"

#include <string.h>

/* True if the ranks of two layouts with the same cells follow from the positions by the same
 * arithmetic. */
static bool same_numbering(const sct_layout *x, const sct_layout *y) {
    bool listed = x->rank_of || x->owner_of || y->rank_of || y->owner_of;
    return !listed && x->strides == y->strides &&
           memcmp(x->stride, y->stride, (size_t)x->strides * sizeof *x->stride) == 0;
}

/* True if two layouts of the same work give each cell to the same rank. With `turned`, the rows of
 * the one are the columns of the other. */
static bool same_workers(const sct_layout *x, const sct_layout *y, bool turned) {
    if (x->replicas != y->replicas || x->share_block != y->share_block ||
        !sct_axis_equal(&x->rows, turned ? &y->cols : &y->rows) ||
        !sct_axis_equal(&x->cols, turned ? &y->rows : &y->cols))
        return false;
    if (!turned && same_numbering(x, y))
        return true;
    for (int replica = 0; replica < x->replicas; replica++)
        for (int row = 0; row < x->rows.coords; row++)
            for (int col = 0; col < x->cols.coords; col++) {
                sct_cell cell = {row, col}, other = turned ? (sct_cell){col, row} : cell;
                if (sct_layout_place(x, replica, cell).rank !=
                    sct_layout_place(y, replica, other).rank)
                    return false;
            }
    return true;
}

/* True if each rank's work by this layout is on its own part of the matrix, and on all of it. */
static bool is_layout_of(const sct_product *product, int matrix, const sct_layout *layout) {
    const sct_slice *view = &product->view[matrix];
    return view->rows.lo == 0 && view->cols.lo == 0 &&
           same_workers(layout, product->layout[matrix], product->op[matrix] != SCT_N);
}

sct_work_layout sct_work_by_layout(const sct_product *product, int shape,
                                   const sct_layout *layout) {
    sct_work_layout work = {.shape = shape, .layout = layout};
    if (layout->share_block > 0) /* cannot fail: sizes and counts have been checked */
        sct_axis_deal("work", product->size[sct_free_dim(shape)], layout->share_block, 0, 0,
                      layout->replicas, &work.share);
    return work;
}

sct_work_layout sct_work_stationary(const sct_product *product, int matrix) {
    const sct_slice *view = &product->view[matrix];
    sct_work_layout work = sct_work_by_layout(product, matrix, product->layout[matrix]);
    work.transposed = product->op[matrix] != SCT_N;
    work.first[0] = view->rows.lo;
    work.first[1] = view->cols.lo;
    work.stationary = true;
    return work;
}

sct_status sct_work_create(const sct_product *product, int shape, const sct_layout *layout,
                           sct_work_layout *work) {
    int64_t rows = product->size[sct_matrix_dim(shape, 0)];
    int64_t cols = product->size[sct_matrix_dim(shape, 1)];
    if (layout->rows.extent != rows || layout->cols.extent != cols)
        return sct_fail(SCT_BAD_ARGUMENT,
                        "work: the layout is of %lld x %lld, and must be of %lld x %lld, as %s",
                        (long long)layout->rows.extent, (long long)layout->cols.extent,
                        (long long)rows, (long long)cols,
                        shape == SCT_MAT_C   ? "C"
                        : shape == SCT_MAT_A ? "op(A)"
                                             : "op(B)");
    if (layout->ranks > product->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "work: the layout uses %d ranks of %d", layout->ranks,
                        product->ranks);
    *work = is_layout_of(product, shape, layout) ? sct_work_stationary(product, shape)
                                                 : sct_work_by_layout(product, shape, layout);
    return SCT_OK;
}

static bool is_rows(const sct_work_layout *work, int dim) {
    return (sct_matrix_dim(work->shape, 0) == dim) != work->transposed;
}

static const sct_axis *axis_of(const sct_work_layout *work, int dim) {
    return is_rows(work, dim) ? &work->layout->rows : &work->layout->cols;
}

static sct_class class_of(const sct_work_layout *work, int dim, sct_cell cell) {
    bool rows = is_rows(work, dim);
    return (sct_class){.axis = axis_of(work, dim),
                       .offset = work->first[!rows],
                       .coord = rows ? cell.row : cell.col};
}

sct_work_indices sct_work_find(const sct_product *product, const sct_work_layout *work, int dim,
                               int rank, sct_cell cell) {
    int64_t size = product->size[dim];
    int replicas = work->layout->replicas, home = sct_layout_home(work->layout, rank);
    sct_work_indices found = {.range = {0, size}};
    if (dim != sct_free_dim(work->shape))
        found.class = class_of(work, dim, cell);
    else if (work->share.coords > 0)
        found.class = (sct_class){.axis = &work->share, .coord = home};
    else
        found.range =
            (sct_range){sct_share(size, replicas, home), sct_share(size, replicas, home + 1)};
    return found;
}

int64_t sct_work_extent(const sct_product *product, const sct_work_layout *work, int dim, int rank,
                        sct_cell cell) {
    sct_work_indices found = sct_work_find(product, work, dim, rank, cell);
    return found.class.axis ? sct_class_size(&found.class, found.range)
                            : sct_range_length(found.range);
}

const sct_axis *sct_work_axis(const sct_work_layout *work, int dim) {
    if (dim != sct_free_dim(work->shape))
        return axis_of(work, dim);
    return work->share.coords > 0 ? &work->share : NULL;
}

int sct_work_parts(const sct_work_layout *work, int dim) {
    return dim == sct_free_dim(work->shape) ? work->layout->replicas : axis_of(work, dim)->coords;
}

bool sct_work_keeps(const sct_work_layout *work, int matrix) {
    return work->stationary && work->shape == matrix;
}

/* True if one coordinate of the work layout has all of k. */
static bool has_all_of_k(const sct_product *product, const sct_work_layout *work) {
    sct_range k = {0, product->size[SCT_DIM_K]};
    if (work->shape == SCT_MAT_C)
        return work->layout->replicas == 1;
    sct_class class = class_of(work, SCT_DIM_K, (sct_cell){0, 0});
    class.coord = sct_axis_owner(class.axis, sct_axis_block(class.axis, class.offset));
    return sct_class_size(&class, k) == k.hi;
}

bool sct_work_one_writer(const sct_product *product, const sct_work_layout *work) {
    return sct_work_keeps(work, SCT_MAT_C) || product->size[SCT_DIM_K] == 0 ||
           has_all_of_k(product, work);
}

/* Products that add to C in place have k outermost, so that a slice of A or B is used up before the
 * next is needed. Other sums have k innermost and are accumulated once complete. The outermost loop
 * is then over the dimension that the shape of A or B lacks; with C's shape, over the longer of the
 * rank's m and n. The slices that it uses again are kept. */
void sct_work_nest(const sct_product *product, const sct_work_layout *work, int nest[SCT_DIMS]) {
    bool in_place = sct_work_keeps(work, SCT_MAT_C) ||
                    (work->shape == SCT_MAT_C && sct_work_one_writer(product, work) &&
                     sct_product_all_near(product, SCT_MAT_C));
    bool n_first = work->shape == SCT_MAT_A ||
                   (work->shape == SCT_MAT_C &&
                    product->size[SCT_DIM_N] / sct_work_parts(work, SCT_DIM_N) >
                        product->size[SCT_DIM_M] / sct_work_parts(work, SCT_DIM_M));
    int outer = n_first && !in_place ? SCT_DIM_N : SCT_DIM_M;
    nest[in_place] = outer;
    nest[1 + in_place] = SCT_DIM_M + SCT_DIM_N - outer;
    nest[in_place ? 0 : 2] = SCT_DIM_K;
}
