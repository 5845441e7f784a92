/* staged_fabric.c - the fabric for devices of processes keeps the rules of fabrics, on devices that
 * are the host, but whose memory is apart; and where processes share it, also only with some. */
#include "device/host.h"
#include "fabric/processes/rank.h"
#include "processes/ranks.h"
#include "processes/staged.h"
#include "support/check.h"

typedef struct pretended {
    uint64_t seed;
    int delay_us, sharing; /* from this rank on, devices share memory */
} pretended;

static sct_status open_pretended(void *context, int rank, sct_device **device) {
    const pretended *p = context;
    return (rank < p->sharing ? sct_device_host_apart : sct_device_host_shared)(
        p->seed + (uint64_t)rank, p->delay_us, 0, device);
}

static void test_shared_memory(void) {
    sct_device *device;
    if (!CHECK(sct_device_host_shared(1, 0, 0, &device) == SCT_OK))
        return;
    shared_memory_rules(device);
    device->ops->close(device);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    int ranks = ranks_size();
    bool together = ranks_on_node() == ranks;
    staged_ranks apart = {.per_node = SCT_RANKS_APART, .path = SCT_PATH_SOCKETS}, nodes = apart;
    pretended at_once = {seed, 0, ranks}, delayed = {seed, 500, ranks};
    pretended shared = {seed, 0, 0}, shared_late = {seed, 100, 0}, mixed = {seed, 0, 1};
    nodes.per_node = 1;
    if (together)
        test_shared_memory();
    staged_fabric_rules(apart, seed, open_pretended, &at_once);
    staged_fabric_rules(nodes, seed + 1, open_pretended, &delayed);
    staged_fabric_rules(apart, seed + 2, open_pretended, &mixed);
    apart.direct = nodes.direct = together;
    staged_fabric_rules(apart, seed + 3, open_pretended, &shared);
    staged_fabric_rules(nodes, seed + 4, open_pretended, &shared_late);
    apart.beside = 2;
    apart.direct = together && ranks <= apart.beside;
    staged_fabric_rules(apart, seed + 5, open_pretended, &shared);
    return check_report("staged_fabric");
}
