/* call.c - translates MPI errors, and polls requests. */
#include "fabric/mpi/call.h"

#include "base/clock.h"
#include "fabric/backoff.h"

#include <limits.h>

sct_status sct_mpi_check(int code, const char *call) {
    if (code == MPI_SUCCESS)
        return SCT_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return sct_fail(SCT_FAILED, "%s: %.*s", call, length, text);
}

sct_status sct_mpi_await(int code, MPI_Request *request, const char *call,
                         const sct_wait_hook *hook) {
    int done = 0;
    sct_backoff alone = {.crowded = true};
    sct_deadline deadline = sct_deadline_begin();
    while (code == MPI_SUCCESS) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        if (!hook && sct_deadline_left_ms(&deadline) == 0)
            return sct_deadline_failure(&deadline);
        if (hook)
            hook->idle(hook->context);
        else
            sct_backoff_pass(&alone);
    }
    return sct_mpi_check(code, call);
}

sct_status sct_mpi_duplicate(MPI_Comm comm, MPI_Comm *duplicate, const sct_wait_hook *hook) {
    MPI_Request request;
    int code = MPI_Comm_idup(comm, duplicate, &request);
    sct_status status = sct_mpi_await(code, &request, "MPI_Comm_idup", hook);
    if (status == SCT_OK)
        MPI_Comm_set_errhandler(*duplicate, MPI_ERRORS_RETURN);
    return status;
}

sct_status sct_mpi_allgather(MPI_Comm comm, const void *mine, size_t bytes, void *all,
                             const sct_wait_hook *hook) {
    MPI_Request request;
    if (bytes > INT_MAX)
        return sct_fail(SCT_TOO_LARGE, "%zu bytes are too many to exchange in one call", bytes);
    int code =
        MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm, &request);
    return sct_mpi_await(code, &request, "MPI_Iallgather", hook);
}
