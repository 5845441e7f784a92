/* staged_fabric.c - the fabric for devices of processes keeps the rules of fabrics, on devices that
 * are the host, but whose memory is apart. */
#include "device/host.h"
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

static void run(int delay_us, uint64_t seed) {
    sct_world_options options = {.size = sizeof options, .ranks_per_node = 1};
    sct_bootstrap bootstrap = {
        .size = sizeof bootstrap, .rank = ranks_rank(), .ranks = ranks_size(), .allgather = gather};
    sct_fabric *ranks, *fabric;
    sct_device *device;
    if (!CHECK(sct_fabric_processes(&bootstrap, &options, &ranks) == SCT_OK) ||
        !CHECK(sct_device_host_apart(seed + (uint64_t)ranks->rank, delay_us, 0, &device) == SCT_OK))
        return;
    if (CHECK(sct_fabric_staged(ranks, device, &fabric) == SCT_OK)) {
        CHECK(fabric->ranks_per_node == 1 && fabric->path == SCT_PATH_SOCKETS);
        CHECK(!fabric->needs_progress);
        fabric_rules(fabric, device, seed);
        fabric->ops->close(fabric);
    }
    device->ops->close(device);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    run(0, seed);
    run(20, seed + 1);
    return check_report("staged_fabric");
}
