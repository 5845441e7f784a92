/* bootstrap.c - makes a bootstrap from the user's communicator. */
#include "fabric/mpi/call.h"
#include "fabric/mpi/mpi.h"

static sct_status check_running(void) {
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    if (begun)
        MPI_Finalized(&ended);
    if (begun && !ended)
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE, ended ? "MPI has been finalized" : "MPI is not initialized");
}

static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    const sct_mpi_start *start = context;
    return sct_mpi_allgather(start->comm, mine, bytes, all, NULL) != SCT_OK;
}

sct_status sct_mpi_start_create(MPI_Comm comm, sct_mpi_start *start) {
    sct_status status = check_running();
    if (status != SCT_OK)
        return status;
    if (comm == MPI_COMM_NULL)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator is missing");
    int between = 0, rank, ranks;
    if ((status = sct_mpi_check(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter")))
        return status;
    if (between)
        return sct_fail(SCT_BAD_ARGUMENT, "the communicator is an intercommunicator");
    MPI_Comm own;
    if ((status = sct_mpi_duplicate(comm, &own, NULL)))
        return status;
    MPI_Comm_rank(own, &rank);
    MPI_Comm_size(own, &ranks);
    *start = (sct_mpi_start){own,
                             {.size = sizeof start->bootstrap,
                              .rank = rank,
                              .ranks = ranks,
                              .allgather = allgather,
                              .context = start}};
    return SCT_OK;
}

void sct_mpi_start_destroy(sct_mpi_start *start) {
    if (start->comm != MPI_COMM_NULL)
        MPI_Comm_free(&start->comm);
}
