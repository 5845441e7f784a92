/* fabric.c - the rules of fabrics, on processes without MPI: with the real nodes, and as if each
 * had only a few ranks. */
#include "fabric/processes/processes.h"
#include "processes/ranks.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <string.h>

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    ranks_gather(mine, bytes, all);
    return 0;
}

/* Ranks that close two segments in different orders, and then wrap memory of the one that they have
 * left, are told so: the others cannot point there. */
static void refuse_closed(sct_fabric *fabric) {
    sct_memory blocks[] = {{.lines = 1, .width = 8}, {.lines = 1, .width = 8}};
    sct_segment *segments[2], *wrapped = NULL;
    int left = fabric->rank > 0, closed = !left;
    for (int i = 0; i < 2; i++)
        if (!CHECK(fabric->ops->segment_open(fabric, 1, &blocks[i], &segments[i]) == SCT_OK))
            return;
    fabric->ops->segment_close(segments[closed]);
    CHECK(fabric->ops->segment_wrap(fabric, 1, &blocks[left], &wrapped) == SCT_BAD_ARGUMENT);
    CHECK(strstr(sct_last_reason(), "wraps memory of a matrix that this rank has destroyed"));
    fabric->ops->segment_close(segments[left]);
}

static void run(int ranks_per_node, uint64_t seed) {
    sct_world_options options = {.size = sizeof options,
                                 .engine_options =
                                     &(sct_processes_options){.size = sizeof(sct_processes_options),
                                                              .ranks_per_node = ranks_per_node}};
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .rank = ranks_rank(), .ranks = ranks_size(), .allgather = gather};
    sct_fabric *fabric;
    int reach = ranks_sharing_memory(ranks_per_node);
    if (!CHECK(sct_fabric_processes(&bootstrap, &options, &fabric) == SCT_OK))
        return;
    CHECK(!fabric->needs_progress && fabric->ranks_per_node == reach);
    CHECK(fabric->path == (reach < fabric->size ? SCT_PATH_SOCKETS : SCT_PATH_AUTO));
    if (reach == fabric->size && reach > 1)
        refuse_closed(fabric);
    fabric_rules(fabric, NULL, seed);
    fabric->ops->close(fabric);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    for (int near = 0; near <= 3 && (near == 0 || near < ranks_size()); near++)
        run(near, seed + (uint64_t)near);
    return check_report("fabric");
}
