/* engine_processes.c - the engine of ranks that are any processes, which compute on the host. */
#include "api/engine.h"

#include "fabric/processes/processes.h"

const sct_engine sct_engine_processes = {
    .name = "processes", .open_fabric = sct_fabric_processes, .open_device = sct_engine_open_host};
