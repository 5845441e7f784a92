/* contexts.h - what the drop-in needs of MPI. It is in libsectile_mpi_KIND. */
#ifndef SCT_SCALAPACK_MPI_CONTEXTS_H
#define SCT_SCALAPACK_MPI_CONTEXTS_H

#include "scalapack/context.h"

struct sct_mpi_contexts {
    /* See sct_context_find; `end` ends the products of a context. */
    sct_status (*find)(const sct_blacs_context *blacs, void (*end)(sct_product_cache *),
                       sct_context **found);
    /* See sct_context_exchange and sct_context_least. */
    sct_status (*exchange)(const sct_context *context, const void *mine, size_t bytes, void *all);
    sct_status (*least)(const sct_context *context, uint64_t *values, int count);
};

SCT_API extern const sct_mpi_contexts sct_scalapack_contexts;

#endif
