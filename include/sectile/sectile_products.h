/* sectile_products.h - groups of products that share matrices, such as the products of a layer,
 * forward and backward.
 *
 * Nothing here needs data, a world or a network. docs/products.md explains the texts. sectile.h
 * includes this file. */
#include <sectile/sectile.h> /* first, which includes this file before others that need it */

#ifndef SECTILE_PRODUCTS_H
#define SECTILE_PRODUCTS_H

#include <sectile/sectile_simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Groups of products ---- */

/* Named matrices, and products of them in the order in which they run. Names have up to 31 letters,
 * digits and underscores, and begin with no digit. */
typedef struct sct_products sct_products;

/* Makes a group without products. Errors: the usual ones. Not collective. */
SCT_API sct_status sct_products_create(sct_products **products);
/* Makes the group that a text describes, such as "Y = X[m,h] * W1[h,f]; Z = Y * W2[f,h]". sizes:
 * "m=8192,h=12288,f=49152", which take precedence over sizes in the text; NULL: none. Errors:
 * SCT_BAD_ARGUMENT for a malformed text, or for products that the functions below refuse. Not
 * collective. */
SCT_API sct_status sct_products_parse(const char *text, const char *sizes, sct_products **products);
/* Writes a text that parses to the same group, cut to `bytes` bytes with the final '\0', and
 * returns the length of the whole text. No errors. Not collective. */
SCT_API size_t sct_products_print(const sct_products *products, char *text, size_t bytes);
/* Frees a group. No errors. Not collective. */
SCT_API void sct_products_destroy(sct_products *products);

/* Names a size. Errors: SCT_BAD_ARGUMENT for a name that is taken or is none, or a size that is
 * less than 1. Not collective. */
SCT_API sct_status sct_products_size(sct_products *products, const char *name, int64_t size);
/* Names a matrix, of rows x cols: the names of sizes, or numbers. Errors: SCT_BAD_ARGUMENT for a
 * name that is taken or is none, or an unknown size. Not collective. */
SCT_API sct_status sct_products_matrix(sct_products *products, const char *name, const char *rows,
                                       const char *cols);
/* Adds the product C = op(A) op(B), or, if `add` is nonzero, C += op(A) op(B). A new name for C
 * makes a matrix of the right shape. Errors: SCT_BAD_ARGUMENT for an unknown matrix, shapes that do
 * not fit, a C that is an operand of this product, or, unless added to, one that is computed
 * already or was an operand before. Not collective. */
SCT_API sct_status sct_products_multiply(sct_products *products, sct_op op_a, const char *a,
                                         sct_op op_b, const char *b, int add, const char *c);
/* Demands that two matrices of one shape have the same layout. Errors: SCT_BAD_ARGUMENT for an
 * unknown matrix, or two shapes. Not collective. */
SCT_API sct_status sct_products_equal(sct_products *products, const char *one, const char *other);
/* Adds the products that compute gradients by the matrices that are not computed. The gradient by X
 * is dX, has the layout of X unless that is fixed differently, and is given for a matrix that is
 * computed and not used. Errors: SCT_BAD_ARGUMENT if a name such as dX is taken, if a product has a
 * conjugate, or if a matrix is added to after it was used. Not collective. */
SCT_API sct_status sct_products_backward(sct_products *products);

/* A matrix of a group. Texts live as long as the group, and until a matrix is added. */
typedef struct sct_products_shape {
    const char *name;
    int64_t rows, cols;
    int equal; /* the first matrix that must have the same layout; itself, if there is none */
    int given; /* nonzero: its elements are there before the first product */
} sct_products_shape;
/* A product of a group, by the numbers of its matrices. */
typedef struct sct_products_step {
    int a, b, c;
    sct_op op_a, op_b;
    int add;
    int64_t m, n, k;
} sct_products_step;
/* Return the number of matrices, and of products. No errors. Not collective. */
SCT_API int sct_products_matrices(const sct_products *products);
SCT_API int sct_products_count(const sct_products *products);
/* Return matrix or product `index`, from 0. No errors. Not collective. */
SCT_API sct_products_shape sct_products_matrix_at(const sct_products *products, int index);
SCT_API sct_products_step sct_products_at(const sct_products *products, int index);
/* Returns the number of the matrix of this name; -1: there is none. No errors. Not collective. */
SCT_API int sct_products_matrix_find(const sct_products *products, const char *name);

/* ---- Layouts of a group ---- */

/* A layout that a matrix may have. A matrix that is named several times has one of these layouts.
 */
typedef struct sct_products_fix {
    const char *matrix;
    const sct_layout *layout;
} sct_products_fix;

typedef struct sct_products_search {
    size_t size;
    sct_type type; /* of all matrices */
    int ranks;
    int ranks_per_node;         /* how many share memory; 0: as on the machine, or all */
    const sct_machine *machine; /* NULL: small nodes on a slow network */
    /* Bytes per rank for the matrices that are there at once, and workspace; 0: no limit. */
    uint64_t memory;
    int fixes;
    const sct_products_fix *fix;
    const struct sct_observer *observer; /* its `progress` is called; NULL: none */
} sct_products_search;

/* How a product is done. */
typedef struct sct_products_work {
    sct_stay stay;      /* the stationary matrix, or the matrix whose shape the work layout has */
    sct_layout *layout; /* the work layout; NULL: that of the stationary matrix */
    double seconds;     /* simulated */
    int alone;          /* nonzero: one rank was simulated alone; 0: all together */
    uint64_t bytes;     /* moved by the busiest rank, of those that were planned */
    uint64_t workspace; /* of the rank with the most, likewise */
    uint64_t limit;     /* `workspace` to make the plans with */
    int waits; /* the matrix that the ranks mostly wait for; -1: none, they mostly compute */
} sct_products_work;

/* Layouts for all matrices, and the work of all products, in their order. */
typedef struct sct_products_choice {
    int matrices, products;
    sct_layout **layout;
    sct_products_work *work;
    double seconds;  /* of all products, one after another */
    uint64_t memory; /* bytes of the rank that needs most, at the time when it does */
    /* By the same times, no combination of candidates takes less than this; those that were not
     * simulated are estimated. */
    double bound;
    double combinations; /* of candidate layouts */
    int simulations;     /* of single products */
} sct_products_choice;

/* Finds layouts with which the whole group takes the least time; of those within 2 %, ones with
 * short texts. Free the choice with sct_products_choice_clear. Errors: SCT_BAD_ARGUMENT for a
 * machine with another number of ranks, or without a peak for the type, more than 1048576 ranks, or
 * a fixed layout of another shape; SCT_WORKSPACE if nothing fits the memory; SCT_TOO_LARGE if too
 * many matrices depend on each other. Not collective. */
SCT_API sct_status sct_products_choose(const sct_products *products,
                                       const sct_products_search *search,
                                       sct_products_choice *choice);
/* Layouts that practice uses for linear layers, Y = X V; Z = Y W and so on. Megatron-LM cuts the
 * outputs of a layer and the inputs of the next, and has each rank hold what is before and after
 * both, or, with sequence parallelism, a share of its rows. The others give each rank rows of all
 * activations, and weights that are sharded, or copied; the gradients of copied weights are sharded
 * or copied. */
typedef enum sct_style {
    SCT_STYLE_TENSOR,
    SCT_STYLE_SEQUENCE,
    SCT_STYLE_SHARDED,
    SCT_STYLE_COPIED,
    SCT_STYLE_DATA
} sct_style;
/* Returns the name of a style, such as "Megatron-LM", or "unknown". No errors. Not collective. */
SCT_API const char *sct_style_name(sct_style style);
/* Finds the work of all products in the layouts of a style; the fixed layouts of `search` are not
 * used. Errors: as sct_products_choose; SCT_BAD_ARGUMENT also for a group that is no sequence of
 * linear layers, or, for SCT_STYLE_COPIED, one without gradients. Not collective. */
SCT_API sct_status sct_products_choose_style(const sct_products *products,
                                             const sct_products_search *search, sct_style style,
                                             sct_products_choice *choice);
/* Frees what a choice has. No errors. Not collective. */
SCT_API void sct_products_choice_clear(sct_products_choice *choice);

#ifdef __cplusplus
}
#endif

#endif
