/* fabric.c - the fabric between devices of CUDA keeps the contract, on stand-ins. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "rules/devices_fabric.h"
#include "support/check.h"

typedef struct shared {
    sct_cuda_context *context;
    int ranks;
} shared;

static sct_status open_shared(void *context, int rank, sct_device **device) {
    const shared *s = context;
    return sct_device_cuda(s->context, rank * s->context->group.count / s->ranks, device);
}

static void test(stand_in_machine machine, int ranks, int per_node) {
    shared s = {.ranks = ranks};
    stand_in_start(machine);
    if (CHECK(sct_cuda_context_create(NULL, ranks, &s.context) == SCT_OK))
        devices_fabric_rules(ranks, per_node, machine.seed, open_shared, &s);
    stand_in_end();
}

int main(void) {
    uint64_t seed = check_seed(1);
    for (int delay = 0; delay <= 20; delay += 20) {
        stand_in_machine machine = {.devices = 1, .delay_us = delay, .seed = seed++, .major = 9};
        test(machine, 1, 1);
        test(machine, 3, 3);
        test(machine, 3, 1);
        machine.devices = 3;
        test(machine, 3, 1);
        machine.unequal = true;
        test(machine, 3, 1);
        machine.most_peers = 1;
        test(machine, 3, 1);
        machine.apart = true;
        test(machine, 3, 1);
    }
    return check_report("fabric");
}
