/* engine_host.c - the engines `threads` (the default) and `processes`, whose ranks compute on the
 * host. */
#include "api/engine.h"
#include "device/blas.h"
#include "device/host.h"
#include "fabric/processes/processes.h"
#include "fabric/threads/threads.h"

#include <limits.h>

sct_status sct_engine_open_host(const sct_world_options *options, int rank, sct_device **device) {
    sct_status status = sct_blas_check();
    (void)options;
    (void)rank;
    return status ? status : sct_device_host(device);
}

static const sct_engine_field threads_fields[] = {
    {"ranks_per_node", offsetof(sct_threads_options, ranks_per_node), INT_MAX, true}, {0}};

const sct_engine sct_engine_threads = {.name = "threads",
                                       .options_bytes = sizeof(sct_threads_options),
                                       .fields = threads_fields,
                                       .open_fabric = sct_fabric_threads,
                                       .open_device = sct_engine_open_host};

static const sct_engine_field processes_fields[] = {
    {"ranks_per_node", offsetof(sct_processes_options, ranks_per_node), INT_MAX, true}, {0}};

const sct_engine sct_engine_processes = {.name = "processes",
                                         .options_bytes = sizeof(sct_processes_options),
                                         .fields = processes_fields,
                                         .open_fabric = sct_fabric_processes,
                                         .open_device = sct_engine_open_host};
