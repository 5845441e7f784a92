/* staged.c - ranks that are processes without MPI, each with a device. */
#include "processes/staged.h"

#include "fabric/processes/processes.h"
#include "fabric/staged/staged.h"
#include "processes/ranks.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    (void)context;
    ranks_gather(mine, bytes, all);
    return 0;
}

void staged_fabric_rules(int ranks_per_node, uint64_t seed, device_opener *opener, void *context) {
    sct_world_options options = {.size = sizeof options, .ranks_per_node = ranks_per_node};
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .rank = ranks_rank(), .ranks = ranks_size(), .allgather = gather};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    if (!CHECK(sct_fabric_processes(&bootstrap, &options, &ranks) == SCT_OK) ||
        !CHECK(opener(context, ranks->rank, &device) == SCT_OK))
        return;
    if (CHECK(sct_fabric_staged(ranks, device, &fabric) == SCT_OK)) {
        CHECK(fabric->ranks_per_node == 1 && fabric->path == SCT_PATH_SOCKETS);
        CHECK(!fabric->needs_progress);
        fabric_rules(fabric, device, seed);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
}
