/* product.c - checks a problem, and derives how its matrices meet. */
#include "plan/product.h"

#include "base/checked.h"
#include "base/near.h"
#include "base/status.h"

#include <string.h>

/* True if the stored rows run along the matrix's second dimension. */
static bool stored_transposed(const sct_product *product, int matrix) {
    return product->op[matrix] != SCT_N;
}

static bool is_rows(const sct_product *product, int matrix, int dim) {
    return (sct_matrix_dim(matrix, 0) == dim) != stored_transposed(product, matrix);
}

int sct_product_coord(const sct_product *product, int matrix, int dim, sct_cell cell) {
    return is_rows(product, matrix, dim) ? cell.row : cell.col;
}

sct_dimension sct_product_dimension(const sct_product *product, int dim) {
    const sct_axis *axis[2];
    int64_t offset[2];
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        bool rows = is_rows(product, matrix, dim);
        const sct_layout *layout = product->layout[matrix];
        axis[side] = rows ? &layout->rows : &layout->cols;
        offset[side] = rows ? product->view[matrix].rows.lo : product->view[matrix].cols.lo;
    }
    return (sct_dimension){.axis = {axis[0], axis[1]},
                           .offset = {offset[0], offset[1]},
                           .range = {0, product->size[dim]}};
}

bool sct_product_transposes(const sct_product *product, int matrix) {
    bool other_order = product->layout[matrix]->order != product->layout[SCT_MAT_C]->order;
    return stored_transposed(product, matrix) != other_order;
}

bool sct_product_conjugates(const sct_product *product, int matrix) {
    return product->op[matrix] == SCT_C && sct_type_complex(product->type[matrix]);
}

bool sct_product_reaches(const sct_product *product, int matrix, int rank, int other) {
    return sct_is_near(rank, other, product->ranks_per_node[matrix]);
}

bool sct_product_all_near(const sct_product *product, int matrix) {
    return product->ranks_per_node[matrix] >= product->ranks;
}

bool sct_product_empty(const sct_product *product) {
    return product->size[SCT_DIM_M] == 0 || product->size[SCT_DIM_K] == 0 ||
           product->size[SCT_DIM_N] == 0;
}

double sct_product_element(const sct_product *product, int matrix) {
    return (double)sct_type_bytes(product->type[matrix]);
}

int64_t sct_product_held(const sct_product *product, int matrix, int rank) {
    const sct_layout *layout = product->layout[matrix];
    int64_t sum = 0;
    for (int block = 0; block < sct_layout_cells(layout, rank); block++) {
        sct_part part = sct_layout_part_in(layout, &product->view[matrix], rank, block);
        sum += part.lines * part.count;
    }
    return sum;
}

int sct_product_line_dim(const sct_product *product) {
    return product->layout[SCT_MAT_C]->order == SCT_ROW_MAJOR ? SCT_DIM_N : SCT_DIM_M;
}

bool sct_product_rounds(const sct_product *product) {
    return product->type_c != product->type[SCT_MAT_C];
}

static sct_status check_view(char name, const sct_layout *layout, const sct_slice *view) {
    int64_t rows = layout->rows.extent, cols = layout->cols.extent;
    if (view->rows.lo >= 0 && view->rows.lo <= view->rows.hi && view->rows.hi <= rows &&
        view->cols.lo >= 0 && view->cols.lo <= view->cols.hi && view->cols.hi <= cols)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT,
                    "%c: view [%lld, %lld) x [%lld, %lld) is not within %lld x %lld", name,
                    (long long)view->rows.lo, (long long)view->rows.hi, (long long)view->cols.lo,
                    (long long)view->cols.hi, (long long)rows, (long long)cols);
}

static sct_status check_matrix(const sct_product *product, int matrix) {
    char name = (char)('A' + matrix);
    const sct_layout *layout = product->layout[matrix];
    if (!layout)
        return sct_fail(SCT_BAD_ARGUMENT, "%c: the layout is NULL", name);
    if (layout->ranks > product->ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "%c: the layout uses %d ranks, but there are %d", name,
                        layout->ranks, product->ranks);
    if ((unsigned)product->op[matrix] > SCT_C)
        return sct_fail(SCT_BAD_ARGUMENT, "op(%c): %d is not one of N, T, C", name,
                        (int)product->op[matrix]);
    return SCT_OK;
}

static sct_slice whole(const sct_layout *layout) {
    return (sct_slice){{0, layout->rows.extent}, {0, layout->cols.extent}};
}

/* The extent of a matrix's view in a dimension. */
static int64_t extent(const sct_product *product, int matrix, int dim) {
    const sct_slice *view = &product->view[matrix];
    sct_range range = is_rows(product, matrix, dim) ? view->rows : view->cols;
    return range.hi - range.lo;
}

/* Byte counts must fit 64 bits. */
static sct_status check_bytes(const sct_product *product, int matrix) {
    const sct_slice *view = &product->view[matrix];
    int64_t rows = view->rows.hi - view->rows.lo, cols = view->cols.hi - view->cols.lo, bytes;
    if (sct_multiply_fits(rows, cols, &bytes) &&
        sct_multiply_fits(bytes, (int64_t)sct_type_bytes(product->type[matrix]), &bytes))
        return SCT_OK;
    return sct_fail(SCT_TOO_LARGE, "%c has more than 2^63 bytes", 'A' + matrix);
}

static sct_status check_sizes(sct_product *product) {
    static const char names[] = {'m', 'k', 'n'};
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        int first = sct_dim_matrix(dim, 0), second = sct_dim_matrix(dim, 1);
        product->size[dim] = extent(product, first, dim);
        if (product->size[dim] != extent(product, second, dim))
            return sct_fail(SCT_BAD_ARGUMENT, "%c differs: %lld in %s%c%s, %lld in %s%c%s",
                            names[dim], (long long)product->size[dim], "op(", 'A' + first, ")",
                            (long long)extent(product, second, dim),
                            second == SCT_MAT_C ? "" : "op(", 'A' + second,
                            second == SCT_MAT_C ? "" : ")");
    }
    return SCT_OK;
}

sct_status sct_problem_resolve(const sct_problem *problem, sct_problem *resolved) {
    sct_status status = sct_check_given("problem", problem);
    if (!status)
        status = sct_check_size("problem", problem->size, offsetof(sct_problem, ranks_per_node_a),
                                sizeof *problem);
    if (status)
        return status;
    *resolved = (sct_problem){.size = sizeof *resolved};
    memcpy(resolved, problem, problem->size);
    return SCT_OK;
}

/* Separate f32 sums of C are in memory of the world, however C itself was allocated. */
static sct_status find_reach(const sct_problem *problem, sct_product *product) {
    const int given[] = {problem->ranks_per_node_a, problem->ranks_per_node_b,
                         sct_product_rounds(product) ? 0 : problem->ranks_per_node_c};
    int node = problem->ranks_per_node;
    product->node = node <= 0 || node > product->ranks ? product->ranks : node;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        int per_node = given[matrix] ? given[matrix] : problem->ranks_per_node;
        if (per_node < 0)
            return sct_fail(SCT_BAD_ARGUMENT, "ranks per node: %d is negative", per_node);
        product->ranks_per_node[matrix] =
            per_node == 0 || per_node > product->ranks ? product->ranks : per_node;
        product->node = (int)sct_max(product->node, product->ranks_per_node[matrix]);
    }
    return SCT_OK;
}

sct_status sct_product_create(const sct_problem *problem, sct_product *product) {
    const sct_slice *views[SCT_MATS] = {problem->view_a, problem->view_b, problem->view_c};
    sct_status status = sct_check_type(problem->type);
    if (status)
        return status;
    sct_type sum = sct_type_sum(problem->type);
    sct_product made = {.type = {problem->type, problem->type, sum},
                        .type_c = problem->sum_c ? sum : problem->type,
                        .op = {problem->op_a, problem->op_b, SCT_N},
                        .layout = {problem->a, problem->b, problem->c},
                        .ranks = problem->ranks,
                        .gpus = problem->gpus != SCT_GPUS_NONE,
                        .halves = problem->gpus == SCT_GPUS_HALVES};
    if ((unsigned)problem->gpus > SCT_GPUS_WIDENING)
        return sct_fail(SCT_BAD_ARGUMENT, "gpus: %d is not a kind of GPUs", (int)problem->gpus);
    if (made.ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not at least 1", made.ranks);
    status = find_reach(problem, &made);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        if (status || (status = check_matrix(&made, matrix)))
            return status;
        made.view[matrix] = views[matrix] ? *views[matrix] : whole(made.layout[matrix]);
        status = check_view((char)('A' + matrix), made.layout[matrix], &made.view[matrix]);
        if (status || (status = check_bytes(&made, matrix)))
            return status;
    }
    status = check_sizes(&made);
    if (status)
        return status;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_hold(made.layout[matrix]);
    *product = made;
    return SCT_OK;
}

void sct_product_clear(sct_product *product) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy((sct_layout *)product->layout[matrix]);
}
