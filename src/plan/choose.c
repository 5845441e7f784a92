/* choose.c - which matrix stays, by the bytes that the ranks would move. */
#include "plan/plan.h"

#include "base/checked.h"

/* What an element costs, beside one that is read in place. One of C that is added to within reach
 * is stored, and read, added and stored again, the rank's own as well as that of others. One that
 * is carried beyond reach costs more by far, whichever matrix it is of. */
enum { READ = 1, ADDED = 6, CARRIED = 24 };

enum { SAMPLE = 64 };

/* Elements of a moving matrix that a rank needs for one cell of the stationary one, less its own. A
 * double: it only has to compare. */
static double moved(const sct_product *product, int stay, int matrix, int rank, sct_cell cell) {
    int free_dim = sct_free_dim(stay);
    bool free_first = sct_matrix_dim(matrix, 0) == free_dim;
    int shared_dim = sct_matrix_dim(matrix, free_first);
    sct_dimension shared = sct_product_dimension(product, shared_dim);
    sct_dimension rest = sct_product_dimension(product, free_dim);
    sct_range share =
        sct_product_share(product, stay, sct_layout_home(product->layout[stay], rank));
    int side = sct_matrix_side(matrix, shared_dim), free_side = sct_matrix_side(matrix, free_dim);
    int coord = sct_product_coord(product, stay, shared_dim, cell);
    const sct_axis *axis = shared.axis[!side], *free_axis = rest.axis[free_side];
    int64_t offset = shared.offset[!side], free_offset = rest.offset[free_side];
    double needed = (double)(sct_axis_below(axis, coord, shared.range.hi + offset) -
                             sct_axis_below(axis, coord, offset)) *
                    (double)(share.hi - share.lo);
    const sct_layout *layout = product->layout[matrix];
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_cell own = sct_layout_cell(layout, rank, block);
        int x = sct_product_coord(product, matrix, shared_dim, own);
        int y = sct_product_coord(product, matrix, free_dim, own);
        needed -= (double)sct_dimension_common(&shared, side ? coord : x, side ? x : coord) *
                  (double)(sct_axis_below(free_axis, y, share.hi + free_offset) -
                           sct_axis_below(free_axis, y, share.lo + free_offset));
    }
    return needed;
}

static double weight(const sct_product *product, int matrix) {
    int times = matrix == SCT_MAT_C ? ADDED : READ;
    if (!sct_product_all_near(product, matrix))
        times = CARRIED;
    return (double)sct_type_bytes(product->type[matrix]) * times;
}

static double moved_by_rank(const sct_product *product, int stay, int rank) {
    const sct_layout *layout = product->layout[stay];
    double sum = 0;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++)
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (matrix != stay)
                sum += moved(product, stay, matrix, rank, sct_layout_cell(layout, rank, block)) *
                       weight(product, matrix);
    return sum;
}

static double moved_by_all(const sct_product *product, int stay) {
    int sample = (int)sct_min(product->ranks, SAMPLE);
    double sum = 0;
    for (int i = 0; i < sample; i++)
        sum += moved_by_rank(product, stay, (int)sct_share(product->ranks, sample, i));
    return sum;
}

static double elements(const sct_product *product, int matrix) {
    return (double)product->size[sct_matrix_dim(matrix, 0)] *
           (double)product->size[sct_matrix_dim(matrix, 1)];
}

int sct_plan_choose(const sct_product *product) {
    int best = SCT_MAT_C;
    double least = moved_by_all(product, best);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        double moves = moved_by_all(product, matrix);
        if (moves < least ||
            (moves == least && elements(product, matrix) > elements(product, best))) {
            best = matrix;
            least = moves;
        }
    }
    return best;
}
