/* engine_devices.c - how engines open devices with memory of their own, and the fabric between
 * them.
 */
#include "api/engine.h"

#include "fabric/devices/devices.h"
#include "fabric/threads/threads.h"

#include <stdlib.h>

sct_status sct_engine_share(sct_fabric *ranks, sct_status status, void *made, void **shared) {
    void **all = calloc((size_t)ranks->size, sizeof *all);
    if (!status && !all)
        status = sct_no_memory("what devices share");
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->exchange(ranks, &made, sizeof made, all);
    if (!status)
        *shared = all[0];
    free(all);
    return status;
}

sct_status sct_engine_open_devices(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                   sct_device_opener *opener, sct_fabric **fabric,
                                   sct_device **device) {
    sct_fabric *ranks;
    sct_device *made = NULL;
    sct_status status = sct_fabric_threads(bootstrap, NULL, &ranks);
    if (status)
        return status;
    status = sct_fabric_agree(ranks, opener(ranks, options, &made));
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
