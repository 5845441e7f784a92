/* outbox.c - the outboxes of all ranks. A rank copies what it adds to memory of another rank into
 * its own outbox, which is memory of its device; the device of the other rank fetches it from
 * there. */
#include "fabric/stage/stage.h"

#include <stdlib.h>

static sct_status make_own(sct_stage *stage, sct_fabric *ranks, sct_memory_handle *mine,
                           sct_memory_handle **all) {
    sct_device *device = stage->device;
    stage->outbox = calloc((size_t)ranks->size, sizeof *stage->outbox);
    *all = calloc((size_t)ranks->size, sizeof **all);
    if (!stage->outbox || !*all)
        return sct_no_memory("outboxes");
    stage->rank = ranks->rank;
    stage->ranks = ranks->size;
    char *own = stage->outbox[ranks->rank] = device->ops->alloc(device, SCT_OUTBOX_BYTES);
    return own && device->ops->share(device, own, SCT_OUTBOX_BYTES, mine)
               ? SCT_OK
               : sct_no_memory("an outbox on the device");
}

static sct_status attach_others(sct_stage *stage, const sct_memory_handle *all) {
    sct_device *device = stage->device;
    for (int r = 0; r < stage->ranks; r++)
        if (r != stage->rank && !(stage->outbox[r] = device->ops->attach(device, &all[r])))
            return sct_fail(SCT_FAILED, "the outbox of rank %d could not be attached", r);
    return SCT_OK;
}

sct_status sct_stage_open_outboxes(sct_stage *stage, sct_fabric *ranks) {
    sct_memory_handle mine = {{0}}, *all = NULL;
    if (!stage->device->spans_hosts)
        return SCT_OK;
    sct_status status = sct_fabric_agree(ranks, make_own(stage, ranks, &mine, &all));
    if (!status)
        status = ranks->ops->exchange(ranks, &mine, sizeof mine, all);
    if (!status)
        status = sct_fabric_agree(ranks, attach_others(stage, all));
    free(all);
    return status;
}

/* Devices that span hosts keep what they share until all of them are closed, so that no rank waits
 * until the others have detached its outbox. */
void sct_stage_close_outboxes(sct_stage *stage) {
    sct_device *device = stage->device;
    for (int r = 0; r < stage->ranks; r++) {
        if (!stage->outbox[r])
            continue;
        if (r == stage->rank)
            device->ops->release(device, stage->outbox[r]);
        else
            device->ops->detach(device, stage->outbox[r]);
    }
    free(stage->outbox);
}

bool sct_stage_in_outbox(const sct_stage *stage, const void *memory) {
    for (int r = 0; r < stage->ranks; r++)
        if ((uintptr_t)memory - (uintptr_t)stage->outbox[r] < SCT_OUTBOX_BYTES)
            return true;
    return false;
}
