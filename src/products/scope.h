/* scope.h - the search for the layouts of a group: the classes of matrices that have one layout,
 * and the candidates of each. */
#ifndef SCT_PRODUCTS_SCOPE_H
#define SCT_PRODUCTS_SCOPE_H

#include "layout/layout.h"
#include "products/mesh.h"
#include "products/products.h"

typedef struct sct_candidate {
    const sct_layout *layout;
    double bytes; /* of the rank that stores most */
    int letters;  /* of its text */
} sct_candidate;

/* The layouts that matrices of one shape may have. */
typedef struct sct_domain {
    int64_t rows, cols;
    int count;
    sct_candidate *candidate;
    bool given; /* by the caller, for one class */
} sct_domain;

typedef struct sct_scope {
    const sct_products *products;
    sct_products_search search; /* with defaults filled in */
    struct sct_machine assumed;
    const sct_machine *machine;
    sct_meshes meshes;
    int classes, domains;
    int *class_of;  /* by matrix */
    int *domain_of; /* by class */
    sct_domain *domain;
    double *live; /* by product and class: how many of its matrices there are meanwhile */
} sct_scope;

sct_status sct_scope_create(const sct_products *products, const sct_products_search *search,
                            sct_scope *scope);
void sct_scope_clear(sct_scope *scope);

static inline const sct_domain *sct_scope_domain(const sct_scope *scope, int class) {
    return &scope->domain[scope->domain_of[class]];
}

/* Bytes of the matrices that are there during a product, on the rank that stores most. choice: by
 * class. */
double sct_scope_stored(const sct_scope *scope, int product, const int *choice);

#endif
