/* user_mpi.c - a program that uses an installed library for MPI: a world of all ranks, which call
 * barrier. */
#include <sectile/sectile_mpi.h>

#include <stdio.h>

int main(int argc, char **argv) {
    sct_world *world;
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (sct_world_create_mpi(MPI_COMM_WORLD, NULL, &world) || sct_world_barrier(world)) {
        fprintf(stderr, "%s\n", sct_last_reason());
        return 1;
    }
    sct_world_destroy(world);
    MPI_Finalize();
    puts(sct_version());
    return 0;
}
