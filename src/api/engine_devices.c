/* engine_devices.c - opens a device for each rank of an engine with devices, and the fabric between
 * these devices: one for threads of a process, or one for processes.
 */
#include "api/engine.h"

#include "api/topology.h"
#include "fabric/device_processes/device_processes.h"
#include "fabric/devices/devices.h"
#include "fabric/processes/rank.h"
#include "fabric/threads/threads.h"

#include <stdlib.h>
#include <string.h>

sct_status sct_engine_open_ranks(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                 sct_fabric_opener *processes, sct_fabric **ranks) {
    sct_topology here;
    sct_status status = sct_topology_find(bootstrap, &here);
    if (status)
        return status;
    return (here.processes ? processes : sct_fabric_threads)(bootstrap, options, ranks);
}

/* Collective over the bootstrap: lets the ranks meet. Processes are far from each other, as they
 * cannot map memory of devices. */
static sct_status meet(const sct_bootstrap *bootstrap, const sct_world_options *options,
                       sct_fabric_opener *processes, sct_topology *here, sct_fabric **ranks) {
    sct_status status = sct_topology_find(bootstrap, here);
    if (status)
        return status;
    const sct_world_options near = {.size = sizeof near,
                                    .wait_seconds = options->wait_seconds,
                                    .interrupted = options->interrupted,
                                    .interrupted_context = options->interrupted_context};
    if (!here->processes)
        return sct_fabric_threads(bootstrap, &near, ranks);
    sct_world_options far = *options;
    const sct_processes_options all = {.size = sizeof all, .ranks_per_node = SCT_ALL_RANKS_FAR};
    far.engine_options = &all;
    if (far.path == SCT_PATH_NVSHMEM) /* besides which they have a path of their own */
        far.path = SCT_PATH_AUTO;
    return processes(bootstrap, &far, ranks);
}

/* Collective over the ranks, which it takes over: the fabric between their devices, unless one of
 * them has no device. */
static sct_status join(sct_fabric *ranks, const sct_topology *here, sct_status status,
                       sct_device *made, const sct_world_options *options, sct_fabric **fabric,
                       sct_device **device) {
    status = sct_fabric_agree(ranks, status);
    if (status)
        ranks->ops->close(ranks);
    else
        status = here->processes ? sct_fabric_device_processes(ranks, made, options, fabric)
                                 : sct_fabric_devices(ranks, made, options, fabric);
    if (!status)
        *device = made;
    else if (made)
        made->ops->close(made);
    return status;
}

sct_status sct_engine_open_devices(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                   sct_fabric_opener *processes, sct_device_opener *opener,
                                   sct_fabric **fabric, sct_device **device) {
    sct_topology here;
    sct_fabric *ranks;
    sct_status status = meet(bootstrap, options, processes, &here, &ranks);
    if (status)
        return status;
    sct_device *made = NULL;
    status = opener(ranks->rank, here.processes, options, &made);
    return join(ranks, &here, status, made, options, fabric, device);
}

/* ---- Devices of a group ---- */

/* What ranks that are threads exchange: the list that they were given, and the group, if
 * this rank has made it. */
typedef struct offer {
    const char *list;
    sct_device_group *group;
} offer;

/* Collective: hands the group of rank 0 to all ranks, unless it could not be made, or a rank was
 * given another list. */
static sct_status share(sct_fabric *ranks, sct_status status, offer mine,
                        sct_device_group **group) {
    offer *all = calloc((size_t)ranks->size, sizeof *all);
    if (!status && !all)
        status = sct_no_memory("what devices share");
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, all);
    if (!status && strcmp(mine.list, all[0].list) != 0)
        status = sct_fail(SCT_DISAGREE, "rank %d asks for devices '%.60s', but rank 0 for '%.60s'",
                          ranks->rank, mine.list, all[0].list);
    status = sct_fabric_agree(ranks, status);
    if (!status)
        *group = all[0].group;
    free(all);
    return status;
}

static sct_status open_shared(sct_fabric *ranks, const sct_world_options *options, const char *list,
                              const sct_device_grouping *grouping, sct_device **device) {
    offer mine = {.list = list ? list : ""};
    sct_device_group *group;
    sct_status status = SCT_OK;
    if (options->path == SCT_PATH_NVSHMEM)
        status = sct_fail(SCT_BAD_ARGUMENT,
                          "path: NVSHMEM is for ranks that are processes; these are threads");
    else if (ranks->rank == 0)
        status = grouping->create(list, ranks->size, &mine.group);
    status = share(ranks, status, mine, &group);
    if (status && mine.group)
        sct_device_group_leave(mine.group, ranks->size);
    if (status)
        return status;
    int64_t index = (int64_t)ranks->rank * group->count / ranks->size;
    return grouping->open(group, (int)index, options, device);
}

/* Local: the device of a process, by its place among those of its host. */
static sct_status open_own(const sct_topology *here, const sct_world_options *options,
                           const char *list, const sct_device_grouping *grouping,
                           sct_device **device) {
    sct_device_group *group;
    sct_status status = grouping->create(list, 1, &group);
    if (status)
        return status;
    int64_t index = (int64_t)here->place * group->count / here->on_host;
    return grouping->open(group, (int)index, options, device);
}

sct_status sct_engine_open_group(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                 const char *list, sct_fabric_opener *processes,
                                 const sct_device_grouping *grouping, sct_device_connector *connect,
                                 sct_fabric **fabric, sct_device **device) {
    sct_topology here;
    sct_fabric *ranks;
    sct_status status = meet(bootstrap, options, processes, &here, &ranks);
    if (status)
        return status;
    sct_device *made = NULL;
    status = here.processes ? open_own(&here, options, list, grouping, &made)
                            : open_shared(ranks, options, list, grouping, &made);
    if (here.processes && connect) {
        status = sct_fabric_agree(ranks, status);
        status = status ? status : connect(ranks, options, made);
    }
    return join(ranks, &here, status, made, options, fabric, device);
}
