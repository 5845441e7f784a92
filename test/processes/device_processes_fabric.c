/* device_processes_fabric.c - the fabric for devices of processes keeps the rules of fabrics, on
 * devices that are the host, but whose memory is apart; and where processes share it, also only
 * with some. */
#include "engine/devices.h"
#include "fabric/processes/rank.h"
#include "processes/device_processes.h"
#include "processes/ranks.h"
#include "support/check.h"

typedef struct emulated {
    uint64_t seed;
    int delay_us, sharing; /* from this rank on, devices share memory */
} emulated;

static sct_status open_emulated(void *context, int rank, sct_device **device) {
    const emulated *p = context;
    return (rank < p->sharing ? device_emulated : device_emulated_shared)(p->seed + (uint64_t)rank,
                                                                          p->delay_us, 0, device);
}

static void test_shared_memory(void) {
    sct_device *device;
    if (!CHECK(device_emulated_shared(1, 0, 0, &device) == SCT_OK))
        return;
    shared_memory_rules(device);
    device->ops->close(device);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    int ranks = ranks_size();
    bool together = ranks_on_node() == ranks;
    staged_ranks apart = {.per_node = SCT_ALL_RANKS_FAR, .path = SCT_PATH_SOCKETS}, nodes = apart;
    emulated at_once = {seed, 0, ranks}, delayed = {seed, 500, ranks};
    emulated shared = {seed, 0, 0}, shared_late = {seed, 100, 0}, mixed = {seed, 0, 1};
    nodes.per_node = 1;
    if (together)
        test_shared_memory();
    device_processes_fabric_rules(apart, seed, open_emulated, &at_once);
    device_processes_fabric_rules(nodes, seed + 1, open_emulated, &delayed);
    device_processes_fabric_rules(apart, seed + 2, open_emulated, &mixed);
    apart.direct = nodes.direct = together;
    device_processes_fabric_rules(apart, seed + 3, open_emulated, &shared);
    device_processes_fabric_rules(nodes, seed + 4, open_emulated, &shared_late);
    apart.beside = 2;
    apart.direct = together && ranks <= apart.beside;
    device_processes_fabric_rules(apart, seed + 5, open_emulated, &shared);
    return check_report("device_processes_fabric");
}
