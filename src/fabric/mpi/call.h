/* call.h - MPI calls: errors as status, and waiting that leaves processors to others. */
#ifndef SCT_FABRIC_MPI_CALL_H
#define SCT_FABRIC_MPI_CALL_H

#include "base/status.h"
#include "fabric/barrier.h"

#include <mpi.h>

/* SCT_OK, or SCT_FAILED with MPI's text for its error code. */
sct_status sct_mpi_check(int code, const char *call);

/* Polls until the request is done. Between polls it calls the hook. Without one the world starts:
 * it yields and naps, until a deadline. `code` is the result of the call that made the
 * request; on failure there is none. */
sct_status sct_mpi_await(int code, MPI_Request *request, const char *call,
                         const sct_wait_hook *hook);

/* Collective: duplicates a communicator; errors on the duplicate are returned. */
sct_status sct_mpi_duplicate(MPI_Comm comm, MPI_Comm *duplicate, const sct_wait_hook *hook);

/* Collective: an allgather. */
sct_status sct_mpi_allgather(MPI_Comm comm, const void *mine, size_t bytes, void *all,
                             const sct_wait_hook *hook);

#endif
