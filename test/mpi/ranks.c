/* ranks.c - the ranks of an MPI job, and its nodes as MPI reports them, independently of Sectile.
 */
#include "processes/ranks.h"

#include "fabric/mpi/mpi.h"

#include <sectile/sectile_mpi.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void finish(void) {
    MPI_Finalize();
}

void ranks_start(int argc, char **argv) {
    int level;
    bool single = argc > 1 && strcmp(argv[1], "single") == 0;
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    atexit(finish);
}

int ranks_rank(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int ranks_size(void) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

/* A communicator of the first processes, which alone call this. It is kept, because MPI busy-waits
 * while it makes one. */
static MPI_Comm find_comm(int ranks) {
    static MPI_Comm comm = MPI_COMM_NULL;
    static int last;
    if (ranks == ranks_size())
        return MPI_COMM_WORLD;
    if (ranks != last) {
        MPI_Group all, first;
        int range[1][3] = {{0, ranks - 1, 1}};
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        MPI_Group_range_incl(all, 1, range, &first);
        MPI_Comm_create_group(MPI_COMM_WORLD, first, 0, &comm);
        MPI_Group_free(&all);
        MPI_Group_free(&first);
    }
    last = ranks;
    return comm;
}

sct_status ranks_create_world(int ranks, const sct_world_options *options, sct_world **world) {
    emulated_options own;
    sct_world_options chosen = ranks_engine(options, NULL, &own);
    return sct_world_create_mpi(find_comm(ranks), &chosen, world);
}

sct_status ranks_open_fabric(const sct_world_options *options, sct_fabric **fabric) {
    sct_mpi_start start;
    sct_status status = sct_mpi_start_create(MPI_COMM_WORLD, &start);
    if (status)
        return status;
    status = sct_fabric_mpi(&start.bootstrap, options, fabric);
    sct_mpi_start_destroy(&start);
    return status;
}

void ranks_gather(const void *mine, size_t bytes, void *all) {
    MPI_Request request;
    int done = 0;
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* Computed once, because MPI busy-waits meanwhile. */
int ranks_on_node(void) {
    static int on_node;
    MPI_Comm node;
    if (on_node > 0)
        return on_node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    MPI_Comm_free(&node);
    return on_node;
}

sct_path ranks_path(const char *argument) {
    if (!strcmp(argument, "rma"))
        return SCT_PATH_RMA;
    if (!strcmp(argument, "sockets"))
        return SCT_PATH_SOCKETS;
    return strcmp(argument, "auto") ? SCT_PATH_SERVICE : SCT_PATH_AUTO;
}
