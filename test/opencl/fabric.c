/* fabric.c - the fabric between devices of OpenCL keeps the contract. */
#include "opencl/opened.h"
#include "rules/devices_fabric.h"
#include "support/check.h"

typedef struct shared {
    sct_cl_context *context;
    int ranks;
} shared;

static sct_status open_shared(void *context, int rank, sct_device **device) {
    const shared *s = context;
    return sct_device_opencl(s->context, rank * s->context->group.count / s->ranks, device);
}

int main(void) {
    const int ranks[] = {1, 2, 3};
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 3; i++) {
        shared s = {opened_parts(), ranks[i]};
        devices_fabric_rules(ranks[i], i == 2 ? 1 : ranks[i], seed++, open_shared, &s);
    }
    return check_report("fabric");
}
