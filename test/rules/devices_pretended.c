/* devices_pretended.c - the fabric for devices keeps the contract of fabrics, on devices that are
 * the host: deferred, and with memory apart. */
#include "device/host.h"
#include "rules/devices_fabric.h"
#include "support/check.h"

typedef struct pretended {
    uint64_t seed;
    int delay_us, per_node;
    bool apart;
} pretended;

static sct_status open_pretended(void *context, int rank, sct_device **device) {
    const pretended *p = context;
    uint64_t seed = p->seed + (uint64_t)rank;
    return p->apart ? sct_device_host_apart(seed, p->delay_us, rank / p->per_node, device)
                    : sct_device_host_deferred(seed, p->delay_us, device);
}

int main(void) {
    const int ranks[] = {1, 2, 3, 4, 7};
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 5; i++)
        for (int apart = 0; apart < 2; apart++) {
            for (int per_node = 1; per_node <= ranks[i]; per_node += 2) {
                pretended p = {seed, 20 * (i % 2), per_node, apart};
                devices_fabric_rules(ranks[i], per_node, seed++, open_pretended, &p);
            }
        }
    return check_report("devices_pretended");
}
