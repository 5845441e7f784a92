/* path_choice.c - if hosts only have Ethernet, a world chooses sockets, also where the network is
 * slow. */
#include "support/check.h"

#include <sectile/sectile_mpi.h>
#include <time.h>

/* Milliseconds after which the network again allows a full burst. */
enum { REST = 100 };

static void run(void) {
    sct_world *world;
    nanosleep(&(struct timespec){.tv_nsec = REST * 1000000}, NULL);
    if (!CHECK(sct_world_create_mpi(MPI_COMM_WORLD, NULL, &world) == SCT_OK))
        return;
    CHECK(sct_world_path(world) == SCT_PATH_SOCKETS);
    sct_world_destroy(world);
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    run();
    run();
    MPI_Finalize();
    return check_report("path_choice");
}
