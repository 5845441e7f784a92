/* engine_pretended.c - an engine for tests: ranks are threads, and each has a device, which is the
 * host, but whose memory is out of the host's reach. */
#include "api/engine.h"

#include "device/blas.h"
#include "device/host.h"
#include "fabric/devices/devices.h"
#include "fabric/threads/threads.h"

static sct_status open_device(const sct_world_options *options, int rank, sct_device **device) {
    int per_node = options->ranks_per_node > 0 ? options->ranks_per_node : 1;
    sct_status status = sct_blas_check();
    return status ? status
                  : sct_device_host_apart(options->seed + (uint64_t)rank, options->delay_us,
                                          rank / per_node, device);
}

static sct_status open(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric **fabric, sct_device **device) {
    sct_fabric *ranks;
    sct_device *made = NULL;
    sct_status status = sct_fabric_threads(bootstrap, NULL, &ranks);
    if (status)
        return status;
    status = sct_fabric_agree(ranks, open_device(options, bootstrap->rank, &made));
    if (status)
        ranks->ops->close(ranks);
    else
        status = sct_fabric_devices(ranks, made, options, fabric);
    if (!status)
        *device = made;
    else if (made)
        made->ops->close(made);
    return status;
}

const sct_engine sct_engine_pretended = {.name = "pretended", .open = open};
