/* fabric.c - the rules of fabrics, on processes: with the real nodes, and as if each had only a few
 * ranks. The argument "single" starts MPI with MPI_THREAD_SINGLE; "rma", "sockets" and "auto"
 * choose the path, which otherwise is the service. "sockets" also uses MPI_THREAD_SINGLE. */
#include "fabric/mpi/mpi.h"
#include "processes/ranks.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <string.h>

static void run(int ranks_per_node, bool single, sct_path path, uint64_t seed) {
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node},
                                 .path = path};
    sct_mpi_start start;
    sct_fabric *fabric;
    if (!CHECK(sct_mpi_start_create(MPI_COMM_WORLD, &start) == SCT_OK))
        return;
    if (CHECK(sct_fabric_mpi(&start.bootstrap, &options, &fabric) == SCT_OK)) {
        int reach = ranks_sharing_memory(ranks_per_node);
        bool near = reach == fabric->size;
        CHECK(path != SCT_PATH_SERVICE || fabric->needs_progress == (!near && single));
        CHECK(path != SCT_PATH_SOCKETS || !fabric->needs_progress);
        CHECK(fabric->ranks_per_node == reach);
        fabric_rules(fabric, NULL, seed);
        fabric->ops->close(fabric);
    }
    sct_mpi_start_destroy(&start);
}

int main(int argc, char **argv) {
    int level, ranks;
    bool single = argc > 1 && (!strcmp(argv[1], "single") || !strcmp(argv[1], "sockets"));
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sct_path path = ranks_path(argc > 1 ? argv[1] : "");
    uint64_t seed = check_seed(1);
    for (int near = 0; near <= 3 && (near == 0 || near < ranks); near++)
        run(near, single, path, seed + (uint64_t)near);
    MPI_Finalize();
    return check_report("fabric");
}
