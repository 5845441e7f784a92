/* sct_run_on_mpi.c - replaces sct_run in tests that were written for threads: each rank is a
 * process, and every process runs the whole test with its own variables.
 *
 * The argument "single" starts MPI with MPI_THREAD_SINGLE; "rma", "sockets" and "auto" are the path
 * where the test chooses none, which otherwise is the service.
 *
 * A world with fewer ranks than processes is on the first of them; the others only learn its
 * result. */
#include "base/status.h"
#include "mpi/setup.h"

#include <sectile/sectile_mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sct_path path = SCT_PATH_SERVICE;

static void finish(void) {
    MPI_Finalize();
}

/* Runs before main, which does not know about MPI. */
__attribute__((constructor)) static void start(int argc, char **argv) {
    int level;
    bool single = argc > 1 && strcmp(argv[1], "single") == 0;
    path = path_named(argc > 1 ? argv[1] : "");
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    atexit(finish);
}

typedef struct outcome {
    int status;
    char reason[SCT_REASON_BYTES];
} outcome;

static sct_status run_here(MPI_Comm comm, const sct_world_options *options, sct_main *fn,
                           void *arg) {
    sct_world_options chosen = {.size = sizeof chosen};
    if (options)
        chosen = *options;
    chosen.engine = NULL;
    if (chosen.path == SCT_PATH_AUTO)
        chosen.path = path;
    sct_world *world;
    sct_status status = sct_world_create_mpi(comm, &chosen, &world);
    if (status)
        return status;
    int rank = sct_world_rank(world), code = fn(world, arg);
    sct_world_destroy(world);
    return code ? sct_fail(SCT_FAILED, "rank %d returned %d", rank, code) : SCT_OK;
}

/* A communicator of the first processes. It is kept, because MPI busy-waits while it splits one. */
static MPI_Comm find_comm(int rank, int size, int ranks) {
    static MPI_Comm comm = MPI_COMM_NULL;
    static int last;
    if (ranks == size)
        return MPI_COMM_WORLD;
    if (ranks != last) {
        if (comm != MPI_COMM_NULL)
            MPI_Comm_free(&comm);
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    }
    last = ranks;
    return comm;
}

static void gather(const outcome *mine, outcome *all) {
    MPI_Request request;
    int done = 0;
    MPI_Iallgather(mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, MPI_COMM_WORLD,
                   &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg);

sct_status __wrap_sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    int rank, size;
    outcome mine = {.status = SCT_OK};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (ranks > size) {
        fprintf(stderr, "on_mpi: the test needs %d processes, not %d\n", ranks, size);
        exit(1);
    }
    MPI_Comm comm = find_comm(rank, size, ranks);
    if (comm != MPI_COMM_NULL)
        mine.status = (int)run_here(comm, options, fn, arg);
    snprintf(mine.reason, sizeof mine.reason, "%s", mine.status ? sct_last_reason() : "");
    outcome *all = malloc((size_t)size * sizeof *all);
    gather(&mine, all);
    sct_status status = SCT_OK;
    for (int r = 0; r < size && !status; r++)
        if (all[r].status)
            status = sct_fail((sct_status)all[r].status, "%s", all[r].reason);
    free(all);
    return status;
}
