/* context.h - what is kept for each BLACS context: what its processes have agreed on, a world of
 * them, and the last products.
 *
 * It hangs on the communicator of the context as an attribute, so that it ends with the context. */
#ifndef SCT_SCALAPACK_CONTEXT_H
#define SCT_SCALAPACK_CONTEXT_H

#include "scalapack/arguments.h"
#include "scalapack/program.h"
#include "scalapack/settings.h"

#include <mpi.h>
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

/* If a product is called again with its matrices where they were, they are not wrapped again, and
 * the library finds what it has kept of the product.
 *
 * Collective over the context: finds the views of the operands, in the memory of the call. Fails
 * alike on all processes. */
sct_status sct_products_find(sct_context *context, const sct_product_call *call,
                             sct_view view[SCT_OPERANDS]);

struct sct_context {
    const sct_mpi_contexts *mpi;
    sct_context *next;
    int number;   /* of the context, in the program */
    bool differs; /* in settings from process to process, so that these count for all: */
    sct_settings settings;
    bool opened;             /* the following have been made, as far as they can be */
    MPI_Comm comm;           /* for agreements between its processes, */
    int rank;                /* of this process, */
    int wait_seconds;        /* after which a process that waits there logs that; 0: never */
    sct_world *world;        /* its ranks are those of the communicator of the context */
    sct_scalapack_grid grid; /* of the context, with these ranks */
    sct_product_cache products;
};

/* Whether to pass on a call. Collective over the processes of the context the first time: as soon
 * as one process has the drop-in switched off, it is off for all, or those that serve a call would
 * wait for ever for those that pass it on. For the same reason, the largest threshold counts. */
sct_passing sct_context_passing(sct_program *program, int number, const sct_call_shape *shape);

/* The context with its world. Collective the first time, and fails alike on all processes. For a
 * program that fits. */
sct_status sct_context_find(sct_program *program, int number, sct_context **found);

/* Gathers `bytes` bytes of each process of the context, in the order of ranks. Collective. */
sct_status sct_context_exchange(const sct_context *context, const void *mine, size_t bytes,
                                void *all);
/* Replaces each value by the least one over the processes of the context. Allocates nothing.
 * Collective. */
sct_status sct_context_least(const sct_context *context, uint64_t *values, int count);

#endif
