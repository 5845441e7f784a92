/* products.h - the last products of a context: if one is called again with its matrices where they
 * were, they are not wrapped again, and the library finds what it has kept of the product. */
#ifndef SCT_SCALAPACK_PRODUCTS_H
#define SCT_SCALAPACK_PRODUCTS_H

#include "scalapack/arguments.h"

#include <sectile/sectile_scalapack.h>

typedef struct sct_context sct_context;

enum { SCT_A, SCT_B, SCT_C_, SCT_OPERANDS };

/* C = alpha op(A) op(B) + beta C without alpha and beta, as all processes call it. */
typedef struct sct_product_call {
    sct_type type;
    sct_op op_a, op_b;
    sct_submatrix operand[SCT_OPERANDS];
} sct_product_call;

typedef struct sct_kept_product {
    sct_product_call call;
    sct_matrix *matrix[SCT_OPERANDS]; /* NULL: not wrapped */
    uint64_t last_use;                /* 0: none */
} sct_kept_product;

enum { SCT_KEPT_PRODUCTS = 8 };

typedef struct sct_product_cache {
    sct_kept_product kept[SCT_KEPT_PRODUCTS];
    uint64_t uses;
} sct_product_cache;

/* Collective over the context: finds the views of the operands, in the memory of the call. Fails
 * alike on all processes. */
sct_status sct_products_find(sct_context *context, const sct_product_call *call,
                             sct_view view[SCT_OPERANDS]);

/* Collective. */
void sct_products_clear(sct_product_cache *products);

#endif
