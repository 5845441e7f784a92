/* product.h - a problem with its defaults filled in: three matrices, three dimensions, and how they
 * meet.
 *
 * A has dimensions m and k, B has k and n, C has m and n, whatever op says; how a matrix is stored
 * follows from its op. In each dimension the matrix named first is side 0. */
#ifndef SCT_PLAN_PRODUCT_H
#define SCT_PLAN_PRODUCT_H

#include "base/dims.h"
#include "base/type.h"
#include "layout/layout.h"
#include "layout/pieces.h"

typedef struct sct_product {
    sct_type type[SCT_MATS]; /* of what steps read and write: for C, of its sums */
    sct_type type_c;         /* of C itself, to which sums are rounded in the end */
    sct_op op[SCT_MATS];
    const sct_layout *layout[SCT_MATS];
    sct_slice view[SCT_MATS];
    int64_t size[SCT_DIMS];
    int ranks;
    int ranks_per_node[SCT_MATS];
} sct_product;

/* Copies what the caller's version of the struct has. */
sct_status sct_problem_resolve(const sct_problem *problem, sct_problem *resolved);

/* Holds the layouts. */
sct_status sct_product_create(const sct_problem *problem, sct_product *product);
void sct_product_clear(sct_product *product);

/* The first and second dimension of a matrix, the one that it lacks, and its side in one that it
 * has. */
int sct_matrix_dim(int matrix, int which);
int sct_free_dim(int matrix);
bool sct_matrix_has(int matrix, int dim);
int sct_matrix_side(int matrix, int dim);
int sct_dim_matrix(int dim, int side);

/* The coordinate in a dimension of one of the matrix's cells. */
int sct_product_coord(const sct_product *product, int matrix, int dim, sct_cell cell);
/* A dimension as pieces.h has it: its full range, no coordinate singled out. */
sct_dimension sct_product_dimension(const sct_product *product, int dim);

/* Whether the BLAS, working in C's storage order, must transpose this matrix; and whether it must
 * conjugate it. */
bool sct_product_transposes(const sct_product *product, int matrix);
bool sct_product_conjugates(const sct_product *product, int matrix);

/* Whether one rank can point to another's parts of a matrix, and every rank to all. */
bool sct_product_reaches(const sct_product *product, int matrix, int rank, int other);
bool sct_product_all_near(const sct_product *product, int matrix);

/* The dimension in which C's lines run, of whose pieces a BLAS wants the longest. */
int sct_product_line_dim(const sct_product *product);

/* Whether C is not of the type of its sums, so that these are kept apart from it. */
bool sct_product_rounds(const sct_product *product);

/* Whether the layouts alone show that each element of C has one writer: C stays, or one coordinate
 * of the stationary matrix has all of k. */
bool sct_product_one_writer(const sct_product *product, int stay);

/* The part of the free dimension that falls to one replica of the stationary matrix. */
sct_range sct_product_share(const sct_product *product, int stay, int replica);

#endif
