/* segment.c - opens, wraps and closes segments: memory of the device, which the processes wrap. */
#include "fabric/device_processes/rank.h"

#include "fabric/devices/common.h"
#include "fabric/processes/collective.h"

#include <stdlib.h>

void sct_device_process_segments_free(sct_segment *first) {
    while (first) {
        sct_segment *next = first->next;
        sct_device *device = first->owner->bounce.device;
        sct_device_process_detach(first);
        if (first->memory)
            device->ops->release(device, first->memory);
        free(first);
        first = next;
    }
}

static sct_status make(sct_device_process *self, int count, sct_segment **segment) {
    size_t ranks = (size_t)self->upper.base.size;
    sct_segment *made = calloc(1, sizeof *made + ranks * sizeof made->access[0]);
    if (!made)
        return sct_no_memory("a segment");
    made->owner = self;
    made->count = count;
    *segment = made;
    return SCT_OK;
}

/* Collective. Frees the segment on failure. */
static sct_status share(sct_device_process *self, sct_status status, const sct_memory *blocks,
                        sct_segment *made, sct_segment **segment) {
    sct_fabric *ranks = self->upper.ranks;
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->segment_wrap(ranks, made->count, blocks, &made->placed);
    if (status) {
        sct_device_process_segments_free(made);
        return status;
    }
    status = sct_device_process_attach(self, blocks, made);
    if (status)
        sct_device_process_segment_close(made);
    else
        *segment = made;
    return status;
}

sct_status sct_device_process_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                           sct_segment **segment) {
    sct_device_process *self = sct_device_process_of(fabric);
    sct_segment *made = NULL;
    sct_memory *placed = NULL;
    sct_status status = make(self, count, &made);
    if (!status)
        status = sct_device_blocks(self->bounce.device, count, blocks, &placed, &made->memory);
    status = share(self, status, placed, made, segment);
    for (int i = 0; !status && i < count; i++)
        blocks[i] = placed[i];
    free(placed);
    return status;
}

sct_status sct_device_process_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                           sct_segment **segment) {
    sct_device_process *self = sct_device_process_of(fabric);
    sct_segment *made = NULL;
    sct_status status = make(self, count, &made);
    return share(self, status, blocks, made, segment);
}

/* If ranks no longer meet, others may still be asking for the memory, which is therefore freed with
 * the fabric. */
void sct_device_process_segment_close(sct_segment *segment) {
    sct_device_process *self = segment->owner;
    sct_fabric *ranks = self->upper.ranks;
    sct_device_process_detach(segment);
    ranks->ops->segment_close(segment->placed);
    bool met = sct_process_collective_status(sct_process_of(ranks)) == SCT_OK;
    segment->next = met ? NULL : self->left;
    if (met)
        sct_device_process_segments_free(segment);
    else
        self->left = segment;
}
