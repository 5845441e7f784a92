/* whole_products.h - the reference for a group of products: holds each matrix whole in this
 * process, and computes the products one after another with the BLAS. */
#ifndef CLI_RUN_WHOLE_PRODUCTS_H
#define CLI_RUN_WHOLE_PRODUCTS_H

#include "run/check.h"

struct whole_products {
    const sct_products *products;
    sct_type type;
    struct source source;
    sct_block *matrix; /* NULL: none are computed */
};

/* Generates the matrices that are given, of small integers, and computes the others; reports
 * errors, and fails where a sum may not be exact. Destroy it even then. */
enum code whole_products_create(const sct_products *products, sct_type type, uint64_t seed,
                                struct whole_products *whole);
void whole_products_destroy(struct whole_products *whole);

/* Compares what this rank stores of a matrix with it exactly, and adds to the verdict. */
sct_status whole_products_compare(const struct whole_products *whole, const sct_world *world,
                                  int index, sct_matrix *matrix, struct verdict *verdict);

#endif
