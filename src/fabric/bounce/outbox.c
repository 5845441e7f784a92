/* outbox.c - the outboxes of all ranks. A rank copies what it adds to memory of another rank into
 * its own outbox, which is memory of its device; the device of the other rank fetches it from
 * there. */
#include "fabric/bounce/bounce.h"

#include <stdlib.h>

static sct_status make_own(sct_bounce *bounce, sct_fabric *ranks, sct_memory_handle *mine,
                           sct_memory_handle **all) {
    sct_device *device = bounce->device;
    bounce->outbox = calloc((size_t)ranks->size, sizeof *bounce->outbox);
    *all = calloc((size_t)ranks->size, sizeof **all);
    if (!bounce->outbox || !*all)
        return sct_no_memory("outboxes");
    bounce->rank = ranks->rank;
    bounce->ranks = ranks->size;
    char *own = bounce->outbox[ranks->rank] = device->ops->alloc(device, SCT_OUTBOX_BYTES);
    return own && device->ops->share(device, own, SCT_OUTBOX_BYTES, mine)
               ? SCT_OK
               : sct_no_memory("an outbox on the device");
}

static sct_status attach_others(sct_bounce *bounce, const sct_memory_handle *all) {
    sct_device *device = bounce->device;
    for (int r = 0; r < bounce->ranks; r++)
        if (r != bounce->rank && !(bounce->outbox[r] = device->ops->attach(device, &all[r])))
            return sct_fail(SCT_FAILED, "the outbox of rank %d could not be attached", r);
    return SCT_OK;
}

sct_status sct_bounce_open_outboxes(sct_bounce *bounce, sct_fabric *ranks) {
    sct_memory_handle mine = {{0}}, *all = NULL;
    if (!bounce->device->spans_hosts)
        return SCT_OK;
    sct_status status = sct_fabric_agree(ranks, make_own(bounce, ranks, &mine, &all));
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, all);
    if (!status)
        status = sct_fabric_agree(ranks, attach_others(bounce, all));
    free(all);
    return status;
}

/* Devices that span hosts keep what they share until all of them are closed, so that no rank waits
 * until the others have detached its outbox. */
void sct_bounce_close_outboxes(sct_bounce *bounce) {
    sct_device *device = bounce->device;
    for (int r = 0; r < bounce->ranks; r++) {
        if (!bounce->outbox[r])
            continue;
        if (r == bounce->rank)
            device->ops->release(device, bounce->outbox[r]);
        else
            device->ops->detach(device, bounce->outbox[r]);
    }
    free(bounce->outbox);
}

bool sct_bounce_in_outbox(const sct_bounce *bounce, const void *memory) {
    for (int r = 0; r < bounce->ranks; r++)
        if ((uintptr_t)memory - (uintptr_t)bounce->outbox[r] < SCT_OUTBOX_BYTES)
            return true;
    return false;
}
