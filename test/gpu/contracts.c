/* contracts.c - a GPU, and the fabric between ranks that share it, keep the contracts. */
#include "gpu/opened.h"
#include "rules/device_rules.h"
#include "rules/devices_fabric.h"
#include "support/check.h"

static sct_status open_shared(void *context, int rank, sct_device **device) {
    return sct_device_cuda(context, rank, device);
}

int main(void) {
    static const int per_node[] = {0, 1, 1, 3};
    uint64_t seed = check_seed(1);
    sct_device *device;
    if (CHECK(sct_device_cuda(opened_devices(1), 0, &device) == SCT_OK)) {
        device_rules(device, seed, 2);
        device->ops->close(device);
    }
    for (int ranks = 1; ranks <= 3; ranks++)
        devices_fabric_rules(ranks, per_node[ranks], seed++, open_shared, opened_devices(ranks));
    return check_report("contracts");
}
