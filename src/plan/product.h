/* product.h - a problem with its defaults filled in: three matrices, three dimensions, and how they
 * meet.
 *
 * A has dimensions m and k, B has k and n, C has m and n, whatever op says; op decides how a matrix
 * is stored. In each dimension, the first of its two matrices is side 0. */
#ifndef SCT_PLAN_PRODUCT_H
#define SCT_PLAN_PRODUCT_H

#include "base/dims.h"
#include "base/type.h"
#include "layout/layout.h"
#include "layout/pieces.h"

typedef struct sct_product {
    sct_type type[SCT_MATS]; /* of the operands of steps; for C, of its sums */
    sct_type type_c;         /* of C itself; sums are rounded to it at the end */
    sct_op op[SCT_MATS];
    const sct_layout *layout[SCT_MATS];
    sct_slice view[SCT_MATS];
    int64_t size[SCT_DIMS];
    int ranks;
    int ranks_per_node[SCT_MATS]; /* that can point to each other's parts of a matrix */
    int node;                     /* ranks that share a machine: at least as many */
    bool gpus;                    /* ranks have GPUs */
    bool halves;                  /* which multiply f16 and bf16 as they are */
} sct_product;

/* Copies the fields that the caller's version of the struct has. */
sct_status sct_problem_resolve(const sct_problem *problem, sct_problem *resolved);

/* Keeps references to the layouts. */
sct_status sct_product_create(const sct_problem *problem, sct_product *product);
void sct_product_clear(sct_product *product);

/* A matrix's first and second dimension; the one it lacks; whether it has a dimension; its side in
 * one; the matrix on a side of a dimension. */
static inline int sct_matrix_dim(int matrix, int which) {
    static const int dims_of[SCT_MATS][2] = {[SCT_MAT_A] = {SCT_DIM_M, SCT_DIM_K},
                                             [SCT_MAT_B] = {SCT_DIM_K, SCT_DIM_N},
                                             [SCT_MAT_C] = {SCT_DIM_M, SCT_DIM_N}};
    return dims_of[matrix][which];
}

static inline int sct_free_dim(int matrix) {
    return SCT_DIM_M + SCT_DIM_K + SCT_DIM_N - sct_matrix_dim(matrix, 0) -
           sct_matrix_dim(matrix, 1);
}

static inline bool sct_matrix_has(int matrix, int dim) {
    return sct_free_dim(matrix) != dim;
}

static inline int sct_dim_matrix(int dim, int side) {
    static const int mats_of[SCT_DIMS][2] = {[SCT_DIM_M] = {SCT_MAT_A, SCT_MAT_C},
                                             [SCT_DIM_K] = {SCT_MAT_A, SCT_MAT_B},
                                             [SCT_DIM_N] = {SCT_MAT_B, SCT_MAT_C}};
    return mats_of[dim][side];
}

static inline int sct_matrix_side(int matrix, int dim) {
    return sct_dim_matrix(dim, 1) == matrix;
}

/* True if there is nothing to multiply. */
bool sct_product_empty(const sct_product *product);

/* The grid coordinate of a cell in a dimension of the matrix. */
int sct_product_coord(const sct_product *product, int matrix, int dim, sct_cell cell);
/* The dimension over its full range, for all coordinates, as pieces.h wants it. */
sct_dimension sct_product_dimension(const sct_product *product, int dim);

/* True if the BLAS, working in C's storage order, must transpose this matrix; or must conjugate it.
 */
bool sct_product_transposes(const sct_product *product, int matrix);
bool sct_product_conjugates(const sct_product *product, int matrix);

/* True if one rank can point to another's parts of a matrix; or every rank to those of all. */
bool sct_product_reaches(const sct_product *product, int matrix, int rank, int other);
bool sct_product_all_near(const sct_product *product, int matrix);

/* The bytes of an element of an operand, or of a sum; the elements of its view of a matrix that a
 * rank has. */
double sct_product_element(const sct_product *product, int matrix);
int64_t sct_product_held(const sct_product *product, int matrix, int rank);

/* The dimension along C's lines. A BLAS wants it long. */
int sct_product_line_dim(const sct_product *product);

/* True if C has a narrower type than its sums, which are then kept separately. */
bool sct_product_rounds(const sct_product *product);

#endif
