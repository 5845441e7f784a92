/* chosen.c - where MPI has nothing but TCP, worlds take sockets, on a network that is so slow that
 * no delay of a process matters: what it lets through at once must not decide. */
#include "fabric/mpi/mpi.h"
#include "fabric/mpi/rank.h"
#include "fabric/service_state.h"
#include "support/check.h"

#include <time.h>

/* In ms: after this the network lets as much through at once as it ever does. */
enum { REST = 100 };

static void run(void) {
    sct_world_options options = {.size = sizeof options};
    sct_mpi_start start;
    sct_fabric *fabric;
    if (!CHECK(sct_mpi_start_create(MPI_COMM_WORLD, &start) == SCT_OK))
        return;
    nanosleep(&(struct timespec){.tv_nsec = REST * 1000000}, NULL);
    if (CHECK(sct_fabric_mpi(&start.bootstrap, &options, &fabric) == SCT_OK)) {
        const sct_service *service = sct_mpi_of(fabric)->service;
        CHECK(service && service->wire->ops->await); /* which messages of MPI do not have */
        fabric->ops->close(fabric);
    }
    sct_mpi_start_destroy(&start);
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    run();
    run();
    MPI_Finalize();
    return check_report("chosen");
}
