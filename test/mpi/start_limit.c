/* start_limit.c - a rank never comes to the start: the other gives up, and ends the job. */
#include <sectile/sectile_mpi.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG_S = 60 };

int main(int argc, char **argv) {
    int rank, level;
    sct_world *world;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        sleep(LONG_S);
    setenv("SECTILE_START_SECONDS", "1", 1);
    if (sct_world_create_mpi(MPI_COMM_WORLD, NULL, &world) == SCT_FAILED)
        printf("rank %d: %s\n", rank, sct_last_reason());
    fflush(stdout);
    sleep(1); /* mpiexec drops output that it has not passed on */
    _exit(1); /* which ends the job */
}
