/* engine_processes.c - the engine of ranks that are any processes, which compute on the host. */
#include "api/engine.h"

#include "fabric/processes/processes.h"

#include <limits.h>

static const sct_engine_field fields[] = {
    {"ranks_per_node", offsetof(sct_processes_options, ranks_per_node), INT_MAX, true}, {0}};

const sct_engine sct_engine_processes = {.name = "processes",
                                         .options_bytes = sizeof(sct_processes_options),
                                         .fields = fields,
                                         .open_fabric = sct_fabric_processes,
                                         .open_device = sct_engine_open_host};
