/* context.h - what is kept for each BLACS context: what its processes have agreed on, a world of
 * them, and the last products.
 *
 * It hangs on the communicator of the context as an attribute, so that it ends with the context. */
#ifndef SCT_SCALAPACK_CONTEXT_H
#define SCT_SCALAPACK_CONTEXT_H

#include "scalapack/products.h"
#include "scalapack/program.h"
#include "scalapack/settings.h"

#include <mpi.h>
#include <sectile/sectile_scalapack.h>

typedef struct sct_context sct_context;
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
