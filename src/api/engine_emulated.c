/* engine_emulated.c - an engine for tests: each rank has a device, which is the host, but whose
 * memory is out of the host's reach. */
#include "api/engine.h"

#include "device/blas.h"
#include "device/host.h"

static sct_status open_device(int rank, bool processes, const sct_world_options *options,
                              sct_device **device) {
    int per_node = options->ranks_per_node > 0 ? options->ranks_per_node : 1;
    uint64_t seed = options->seed + (uint64_t)rank;
    sct_status status = sct_blas_check();
    if (status)
        return status;
    return (processes ? sct_device_emulated_shared : sct_device_emulated)(seed, options->delay_us,
                                                                          rank / per_node, device);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_fabric **fabric, sct_device **device) {
    return sct_engine_open_devices(bootstrap, options, processes, open_device, fabric, device);
}

const sct_engine sct_engine_emulated = {.name = "emulated", .open = open};
