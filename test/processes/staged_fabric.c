/* staged_fabric.c - the fabric for devices of processes keeps the rules of fabrics, on devices that
 * are the host, but whose memory is apart. */
#include "device/host.h"
#include "fabric/processes/rank.h"
#include "processes/ranks.h"
#include "processes/staged.h"
#include "support/check.h"

typedef struct pretended {
    uint64_t seed;
    int delay_us;
} pretended;

static sct_status open_pretended(void *context, int rank, sct_device **device) {
    const pretended *p = context;
    return sct_device_host_apart(p->seed + (uint64_t)rank, p->delay_us, 0, device);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    pretended at_once = {seed, 0}, delayed = {seed, 500};
    staged_fabric_rules(SCT_RANKS_APART, seed, open_pretended, &at_once);
    staged_fabric_rules(1, seed + 1, open_pretended, &delayed);
    return check_report("staged_fabric");
}
