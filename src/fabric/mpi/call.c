/* call.c - translates errors, and polls. */
#include "fabric/mpi/call.h"

sct_status sct_mpi_check(int code, const char *call) {
    if (code == MPI_SUCCESS)
        return SCT_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return sct_fail(SCT_FAILED, "%s: %.*s", call, length, text);
}

sct_status sct_mpi_await(int code, MPI_Request *request, const char *call, const sct_idler *idler) {
    int done = 0;
    while (code == MPI_SUCCESS) {
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            break;
        idler->idle(idler->context);
    }
    return sct_mpi_check(code, call);
}
