/* staged_fabric.c - the fabric for devices of processes keeps the rules of fabrics on stand-ins for
 * CUDA, of which each process has its own. */
#include "cuda/stand_in.h"
#include "device/cuda/cuda.h"
#include "fabric/processes/rank.h"
#include "processes/ranks.h"
#include "processes/staged.h"
#include "support/check.h"

static sct_status open_own(void *context, int rank, sct_device **device) {
    (void)context;
    sct_cuda_context *made;
    sct_status status = sct_cuda_context_create(NULL, 1, &made);
    return status ? status : sct_device_cuda(made, rank % made->group.count, device);
}

int main(int argc, char **argv) {
    ranks_start(argc, argv);
    uint64_t seed = check_seed(1);
    for (int delay = 0; delay <= 20; delay += 20) {
        stand_in_start((stand_in_machine){
            .devices = 2, .delay_us = delay, .seed = seed + (uint64_t)delay, .major = 9});
        staged_fabric_rules(SCT_RANKS_APART, seed + (uint64_t)delay, open_own, NULL);
        stand_in_end();
    }
    return check_report("staged_fabric");
}
