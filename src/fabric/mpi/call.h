/* call.h - calls of MPI: what came of them in our words, and waiting that leaves processors free.
 */
#ifndef SCT_FABRIC_MPI_CALL_H
#define SCT_FABRIC_MPI_CALL_H

#include "base/status.h"
#include "fabric/barrier.h"

#include <mpi.h>

/* SCT_OK, or SCT_FAILED with what MPI says of its error code. */
sct_status sct_mpi_check(int code, const char *call);

/* Tests until the request is done; the idler runs in between. `code` is what the call that made
 * the request returned: if that failed there is no request. */
sct_status sct_mpi_await(int code, MPI_Request *request, const char *call, const sct_idler *idler);

/* Collective: a communicator of the same ranks, whose errors are returned. */
sct_status sct_mpi_duplicate(MPI_Comm comm, MPI_Comm *duplicate, const sct_idler *idler);

/* Collective: what all ranks have, by rank. */
sct_status sct_mpi_allgather(MPI_Comm comm, const void *mine, size_t bytes, void *all,
                             const sct_idler *idler);

#endif
