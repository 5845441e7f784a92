/* devices.c - opens and closes the fabric for devices; its collective calls are those of the
 * threads fabric. */
#include "fabric/devices/devices.h"

#include "fabric/devices/rank.h"
#include "fabric/machine.h"

#include <stdlib.h>

/* The threads fabric, when it closes, waits until no rank uses the memory of this one any more, as
 * that is wrapped memory for it. */
static void devices_close(sct_fabric *fabric) {
    sct_devices *self = sct_devices_of(fabric);
    const sct_device_ops *ops = self->upper.device->ops;
    if (self->upper.stream)
        ops->stream_close(self->upper.stream);
    self->upper.ranks->ops->close(self->upper.ranks);
    while (self->segments) {
        sct_segment *segment = self->segments;
        self->segments = segment->next;
        sct_devices_segment_free(segment);
    }
    for (int i = 0; i < SCT_SCRATCHES; i++)
        if (self->scratch[i])
            ops->release(self->upper.device, self->scratch[i]);
    free(self->turns);
    free(self);
}

static const sct_fabric_ops devices_ops = {
    .name = "devices",
    .close = devices_close,
    .segment_open = sct_devices_segment_open,
    .segment_wrap = sct_devices_segment_wrap,
    .segment_close = sct_devices_segment_close,
    .peer = sct_devices_segment_peer,
    .per_node = sct_devices_segment_per_node,
    .transfers_are_commands = true,
    .check = sct_upper_check,
    .get = sct_devices_get,
    .accumulate = sct_devices_accumulate,
    .order = sct_devices_order,
    .barrier = sct_upper_barrier,
    .exchange = sct_upper_exchange,
    .reduce = sct_upper_reduce,
};

/* Opens the stream, and finds out which ranks are near. */
static sct_status prepare(sct_devices *self, int per_node, int *domains) {
    sct_device *device = self->upper.device;
    sct_status status = device->ops->stream_open(device, &self->upper.stream);
    if ((status = sct_fabric_agree(self->upper.ranks, status)))
        return status;
    status = self->upper.ranks->ops->exchange(self->upper.ranks, &device->domain, sizeof *domains,
                                              domains);
    self->upper.base.ranks_per_node = per_node > 0 && per_node < self->upper.base.size
                                          ? per_node
                                          : sct_ranks_per_node(domains, self->upper.base.size);
    return status;
}

sct_status sct_fabric_devices(sct_fabric *ranks, sct_device *device,
                              const sct_world_options *options, sct_fabric **fabric) {
    sct_devices *self = calloc(1, sizeof *self);
    int *domains = calloc((size_t)ranks->size, sizeof *domains);
    sct_devices_turn *turns = calloc((size_t)ranks->size, sizeof *turns);
    sct_status status = sct_fabric_agree(
        ranks, self && domains && turns ? SCT_OK : sct_no_memory("a fabric between devices"));
    if (status) {
        free(self);
        free(domains);
        free(turns);
        ranks->ops->close(ranks);
        return status;
    }
    *self = (sct_devices){.upper = {.base = {.ops = &devices_ops,
                                             .rank = ranks->rank,
                                             .size = ranks->size,
                                             .sign = ranks->sign},
                                    .ranks = ranks,
                                    .device = device},
                          .turns = turns};
    status = prepare(self, sct_ranks_per_node_asked(options), domains);
    free(domains);
    if (status)
        devices_close(&self->upper.base);
    else
        *fabric = &self->upper.base;
    return status;
}
