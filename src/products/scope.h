/* scope.h - the search for the layouts of a group: the classes of matrices that have one layout,
 * and the candidates of each. */
#ifndef SCT_PRODUCTS_SCOPE_H
#define SCT_PRODUCTS_SCOPE_H

#include "layout/layout.h"
#include "machine/machine.h"
#include "products/products.h"

#include <stdbool.h>

/* The directions of a mesh: of a matrix, its replicas, rows and columns; of a product, the
 * dimensions that its work layout has in their places. */
enum { SCT_MESH_REPLICAS, SCT_MESH_ROWS, SCT_MESH_COLS, SCT_MESH_WAYS };

/* A run of ranks along one direction. Runs are nested, the outermost first. */
typedef struct sct_run_of_ranks {
    int way, times;
} sct_run_of_ranks;

enum { SCT_MESH_RUNS = 6, SCT_MESHES = 128 };
typedef struct sct_mesh {
    int runs;
    sct_run_of_ranks run[SCT_MESH_RUNS];
    int size[SCT_MESH_WAYS];
} sct_mesh;

typedef struct sct_meshes {
    int count;
    sct_mesh *mesh; /* at most SCT_MESHES */
} sct_meshes;

/* The layout of a rows x cols matrix in which each direction of the mesh is one of the layout's, as
 * `way` says: way[direction] is its direction in the layout. */
sct_status sct_mesh_layout(const sct_mesh *mesh, const int way[SCT_MESH_WAYS], int64_t rows,
                           int64_t cols, int ranks, sct_layout **layout);

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
