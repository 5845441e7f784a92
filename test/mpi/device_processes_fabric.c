/* device_processes_fabric.c - the fabric for devices of processes keeps the rules of fabrics where
 * the processes are those of MPI. The argument "single" starts MPI with MPI_THREAD_SINGLE. */
#include "processes/device_processes.h"

#include "engine/devices.h"
#include "fabric/processes/rank.h"
#include "processes/ranks.h"
#include "support/check.h"

#include <string.h>

typedef sct_status open_kind(uint64_t seed, int delay_us, int domain, sct_device **device);

static sct_status open_emulated(void *context, int rank, sct_device **device) {
    enum { DELAY_US = 20 };
    open_kind *const *kind = context;
    return (*kind)((uint64_t)rank, DELAY_US, 0, device);
}

int main(int argc, char **argv) {
    bool single = argc > 1 && strcmp(argv[1], "single") == 0;
    open_kind *apart = device_emulated, *shared = device_emulated_shared;
    staged_ranks how = {
        .per_node = SCT_ALL_RANKS_FAR, .path = SCT_PATH_SERVICE, .needs_progress = single};
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    device_processes_fabric_rules(how, seed, open_emulated, &apart);
    how.direct = ranks_on_node() == ranks_size();
    device_processes_fabric_rules(how, seed + 1, open_emulated, &shared);
    how.direct = how.needs_progress = false;
    how.path = SCT_PATH_SOCKETS;
    device_processes_fabric_rules(how, seed + 2, open_emulated, &apart);
    how.path = SCT_PATH_AUTO;
    if (!single)
        device_processes_fabric_rules(how, seed + 3, open_emulated, &apart);
    return check_report("device_processes_fabric");
}
