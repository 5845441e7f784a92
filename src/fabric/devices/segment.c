/* segment.c - opens, wraps and closes segments: memory of the device, whose addresses the ranks
 * publish as wrapped memory of the threads fabric. */
#include "fabric/devices/rank.h"

#include "fabric/devices/common.h"

#include <stdlib.h>

void sct_devices_segment_free(sct_segment *segment) {
    if (!segment)
        return;
    sct_device *device = segment->owner->upper.device;
    if (segment->memory)
        device->ops->release(device, segment->memory);
    pthread_mutex_destroy(&segment->chain.lock);
    free(segment);
}

static sct_status make(sct_devices *self, int count, sct_segment **segment) {
    sct_segment *made =
        calloc(1, sizeof *made + (size_t)self->upper.base.size * sizeof made->peers[0]);
    if (!made)
        return sct_no_memory("a segment");
    made->owner = self;
    made->count = count;
    pthread_mutex_init(&made->chain.lock, NULL);
    *segment = made;
    return SCT_OK;
}

static bool can_use_all(sct_device *device, int count, const sct_memory *blocks) {
    for (int i = 0; i < count; i++)
        if (blocks[i].lines > 0 && blocks[i].width > 0 &&
            !device->ops->can_use(device, blocks[i].base))
            return false;
    return true;
}

/* Collective. Frees the segment on failure. */
static sct_status share(sct_devices *self, sct_status status, const sct_memory *blocks,
                        sct_segment *made, sct_segment **segment) {
    sct_fabric *ranks = self->upper.ranks;
    if (!status)
        made->usable = made->memory || can_use_all(self->upper.device, made->count, blocks);
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = ranks->ops->exchange(ranks, &made, sizeof made, made->peers);
    if (!status)
        status = ranks->ops->segment_wrap(ranks, made->count, blocks, &made->placed);
    if (status) {
        sct_devices_segment_free(made);
        return status;
    }
    made->next = self->segments;
    self->segments = made;
    *segment = made;
    return SCT_OK;
}

sct_status sct_devices_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment) {
    sct_devices *self = sct_devices_of(fabric);
    sct_segment *made = NULL;
    sct_memory *placed = NULL;
    sct_status status = make(self, count, &made);
    if (!status)
        status = sct_device_blocks(self->upper.device, count, blocks, &placed, &made->memory);
    status = share(self, status, placed, made, segment);
    for (int i = 0; !status && i < count; i++)
        blocks[i] = placed[i];
    free(placed);
    return status;
}

sct_status sct_devices_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment) {
    sct_devices *self = sct_devices_of(fabric);
    sct_segment *made = NULL;
    sct_status status = make(self, count, &made);
    return share(self, status, blocks, made, segment);
}

void sct_devices_segment_close(sct_segment *segment) {
    sct_devices *self = segment->owner;
    sct_segment **link = &self->segments;
    sct_device_drain(self->upper.device, self->upper.stream);
    self->upper.ranks->ops->segment_close(segment->placed);
    while (*link != segment)
        link = &(*link)->next;
    *link = segment->next;
    sct_devices_segment_free(segment);
}

int sct_devices_segment_per_node(const sct_segment *segment) {
    return segment->owner->upper.base.ranks_per_node;
}

const sct_memory *sct_devices_segment_peer(const sct_segment *segment, int rank) {
    int per_node = sct_devices_segment_per_node(segment);
    bool near = sct_is_near(rank, segment->owner->upper.base.rank, per_node);
    return near ? segment->owner->upper.ranks->ops->peer(segment->placed, rank) : NULL;
}
