/* module.c - the module of one MPI, built once for each. */
#include "engine.h"

#include <mpi.h>
#include <sectile/sectile_mpi.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Sets what UCX, the transport that MPICH uses, reads when it starts. Over TCP it then sends each
 * message of the library at once, not in parts of 8 KB or after asking. The user's settings have
 * priority. */
static void advise_ucx(void) {
    static const char *const variables[] = {"UCX_TCP_TX_SEG_SIZE", "UCX_RNDV_THRESH"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        (void)setenv(variables[i], "64k", 0);
}

/* Starts MPI. If a process fails after this, MPI ends all. */
static int start(int *rank, int *ranks) {
    int level;
    advise_ucx();
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
    return 0;
}

static sct_status create_world(const sct_world_options *options, sct_world **world) {
    return sct_world_create_mpi(MPI_COMM_WORLD, options, world);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Waits in naps that grow up to a millisecond, because MPI's own waiting occupies a core. */
static bool await(MPI_Request request, double seconds) {
    const long longest = 1000000;
    double end = now() + seconds;
    struct timespec nap = {.tv_nsec = 10000};
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        if (seconds >= 0 && now() > end)
            return false;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < longest / 2 ? 2 * nap.tv_nsec : longest;
    }
    return done;
}

static bool gather(void *all, int bytes, double seconds) {
    MPI_Request request;
    return MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, bytes, MPI_BYTE, MPI_COMM_WORLD,
                          &request) == MPI_SUCCESS &&
           await(request, seconds);
}

static bool spread(void *bytes, int count, int from, double seconds) {
    MPI_Request request;
    return MPI_Ibcast(bytes, count, MPI_BYTE, from, MPI_COMM_WORLD, &request) == MPI_SUCCESS &&
           await(request, seconds);
}

/* MPICH's mpiexec drops output that it has not passed on yet, so it gets a second first. If MPI
 * cannot end all processes, this one exits, and mpiexec ends the others. */
static _Noreturn void end_all(int code) {
    sleep(1);
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

static void stop(void) {
    MPI_Finalize();
}

const struct engine sectile_engine = {.size = sizeof(struct engine),
                                      .start = start,
                                      .create_world = create_world,
                                      .gather = gather,
                                      .spread = spread,
                                      .abort = end_all,
                                      .stop = stop};
