/* fabric_errors.c - ranks that exchange different sizes or ask for too much memory, or use a rank
 * that has left: all ranks get the error. Also, ranks of odd numbers pretend to be on another
 * machine. */
#include "fabric/mpi/call.h"
#include "fabric/mpi/mpi.h"
#include "support/check.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static bool apart;

ssize_t __real_readlink(const char *path, char *text, size_t bytes);
ssize_t __wrap_readlink(const char *path, char *text, size_t bytes);

ssize_t __wrap_readlink(const char *path, char *text, size_t bytes) {
    int rank;
    ssize_t length = __real_readlink(path, text, bytes);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (apart && rank % 2 && length > 0 && strstr(path, "/ns/"))
        text[0]++;
    return length;
}

static sct_fabric *open_fabric(int ranks_per_node) {
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node},
                                 .path = SCT_PATH_SERVICE};
    sct_mpi_start start;
    sct_fabric *fabric = NULL;
    CHECK(sct_mpi_start_create(MPI_COMM_WORLD, &start) == SCT_OK);
    CHECK(sct_fabric_mpi(&start.bootstrap, &options, &fabric) == SCT_OK);
    sct_mpi_start_destroy(&start);
    return fabric;
}

static void exchange_unlike(int ranks_per_node) {
    char mine[8] = {0}, all[64];
    sct_fabric *fabric = open_fabric(ranks_per_node);
    size_t bytes = fabric->rank == 0 ? 8 : 4;
    CHECK(fabric->ops->exchange(fabric, mine, bytes, all) == SCT_DISAGREE);
    CHECK(fabric->ops->barrier(fabric) == SCT_DISAGREE);
    fabric->ops->close(fabric);
}

static void ask_for_too_much(void) {
    sct_fabric *fabric = open_fabric(0);
    sct_segment *segment = NULL;
    sct_memory block = {NULL, 0, 1, SIZE_MAX / 2 - 1000};
    CHECK(fabric->ops->segment_open(fabric, fabric->rank == 0, &block, &segment) == SCT_TOO_LARGE);
    CHECK(!segment);
    CHECK(sct_mpi_allgather(MPI_COMM_SELF, NULL, (size_t)INT_MAX + 1, NULL, NULL) == SCT_TOO_LARGE);
    fabric->ops->close(fabric);
}

static void reach_who_has_left(void) {
    sct_fabric *fabric = open_fabric(0);
    sct_segment *segment = NULL;
    sct_memory block = {NULL, 0, 1, sizeof(double)};
    sct_event event = {.ops = NULL};
    double got = 0;
    bool leaves = fabric->rank == 0;
    CHECK(fabric->ops->segment_open(fabric, 1, &block, &segment) == SCT_OK);
    if (!leaves) {
        sct_target there = {segment, 0, 0, {0, 0, 1, sizeof got}};
        CHECK(fabric->ops->barrier(fabric) == SCT_FAILED);
        CHECK(sct_fabric_get(fabric, NULL, &there, &got, sizeof got, &event) == SCT_FAILED);
        CHECK(strstr(sct_last_reason(), "rank 0 has left"));
    }
    fabric->ops->close(fabric);
}

/* Four ranks, alternately on two machines: none shares memory with its neighbour. */
static void be_apart(void) {
    apart = true;
    for (int ranks_per_node = 0; ranks_per_node <= 2; ranks_per_node += 2) {
        sct_fabric *fabric = open_fabric(ranks_per_node);
        CHECK(fabric->ranks_per_node == 1);
        CHECK(fabric->ops->barrier(fabric) == SCT_OK);
        fabric->ops->close(fabric);
    }
    apart = false;
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    exchange_unlike(0);
    exchange_unlike(1);
    ask_for_too_much();
    reach_who_has_left();
    be_apart();
    MPI_Finalize();
    return check_report("fabric_errors");
}
