/* engine_threads.c - the embedded engine: ranks are threads that compute on the host. */
#include "api/engine.h"

#include "device/blas.h"
#include "device/host.h"
#include "fabric/threads/threads.h"

sct_status sct_engine_open_host(const sct_world_options *options, int rank, sct_device **device) {
    sct_status status = sct_blas_check();
    if (status)
        return status;
    if (!options->deferred)
        return sct_device_host(device);
    return sct_device_host_deferred(options->seed + (uint64_t)rank, options->delay_us, device);
}

const sct_engine sct_engine_threads = {
    .name = "threads", .open_fabric = sct_fabric_threads, .open_device = sct_engine_open_host};
