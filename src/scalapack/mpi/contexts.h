/* contexts.h - what the drop-in needs of MPI. It is in libsectile_mpi_KIND. */
#ifndef SCT_SCALAPACK_MPI_CONTEXTS_H
#define SCT_SCALAPACK_MPI_CONTEXTS_H

#include "scalapack/context.h"

struct sct_mpi_contexts {
    /* What is kept of a context, which begins with an agreement of its processes on the settings.
     * `end` is called when it ends. */
    sct_status (*find)(const sct_blacs_context *blacs, const sct_settings *own,
                       void (*end)(sct_context *), sct_context **found);
    /* Makes the world, unless that has been tried. */
    sct_status (*open)(sct_context *context, const sct_blacs_context *blacs);
    /* See sct_context_exchange and sct_context_least. */
    sct_status (*exchange)(const sct_context *context, const void *mine, size_t bytes, void *all);
    sct_status (*least)(const sct_context *context, uint64_t *values, int count);
};

SCT_API extern const sct_mpi_contexts sct_scalapack_contexts;

#endif
