/* device_processes.c - the fabric for processes with devices: opens and closes it. Its collective
 * calls are those of the fabric below it, by which the processes meet. */
#include "fabric/device_processes/device_processes.h"

#include "fabric/device_processes/rank.h"
#include "fabric/machine.h"
#include "fabric/processes/rank.h"

#include <stdlib.h>

/* As for fabrics without commands; the device counts the waiting. */
static sct_status processes_order(sct_fabric *fabric, sct_status status, sct_stream *stream) {
    sct_device_process *self = sct_device_process_of(fabric);
    if (!status)
        status = sct_device_drain(self->bounce.device, stream);
    return sct_fabric_agree(self->upper.ranks, status);
}

static void processes_progress(sct_fabric *fabric) {
    sct_fabric *ranks = sct_device_process_of(fabric)->upper.ranks;
    ranks->ops->progress(ranks);
}

static const sct_memory *processes_peer(const sct_segment *segment, int rank) {
    sct_fabric *ranks = segment->owner->upper.ranks;
    return rank == ranks->rank ? ranks->ops->peer(segment->placed, rank) : NULL;
}

static int processes_per_node(const sct_segment *segment) {
    (void)segment;
    return 1;
}

/* The processes, when they close, wait until no rank asks for the memory of this one any more. */
static void processes_close(sct_fabric *fabric) {
    sct_device_process *self = sct_device_process_of(fabric);
    if (self->upper.stream)
        self->bounce.device->ops->stream_close(self->upper.stream);
    self->upper.ranks->ops->close(self->upper.ranks);
    sct_bounce_close(&self->bounce);
    sct_device_process_segments_free(self->left);
    free(self->beside);
    free(self->offers);
    free(self);
}

static const sct_fabric_ops processes_ops = {
    .name = "device processes",
    .close = processes_close,
    .segment_open = sct_device_process_segment_open,
    .segment_wrap = sct_device_process_segment_wrap,
    .segment_close = sct_device_process_segment_close,
    .peer = processes_peer,
    .per_node = processes_per_node,
    .transfers_are_commands = true,
    .check = sct_upper_check,
    .get = sct_device_process_get,
    .accumulate = sct_device_process_accumulate,
    .order = processes_order,
    .barrier = sct_upper_barrier,
    .exchange = sct_upper_exchange,
    .reduce = sct_upper_reduce,
    .progress = processes_progress,
};

sct_status sct_fabric_device_processes(sct_fabric *ranks, sct_device *device,
                                       const sct_world_options *options, sct_fabric **fabric) {
    sct_device_process *self = calloc(1, sizeof *self);
    sct_status status = self ? SCT_OK : sct_no_memory("a fabric between devices");
    if ((status = sct_fabric_agree(ranks, status))) {
        free(self);
        ranks->ops->close(ranks);
        return status;
    }
    self->upper.ranks = ranks;
    self->upper.device = device;
    ranks->record = device->ops->record;
    status = sct_bounce_open(&self->bounce, device);
    if (!status)
        status = device->ops->stream_open(device, &self->upper.stream);
    status = sct_fabric_agree(ranks, status);
    if (!status)
        status = sct_bounce_open_outboxes(&self->bounce, ranks);
    if (!status)
        status = sct_process_bounce(sct_process_of(ranks), &self->bounce);
    self->upper.base = (sct_fabric){.ops = &processes_ops,
                                    .rank = ranks->rank,
                                    .size = ranks->size,
                                    .ranks_per_node = 1,
                                    .needs_progress = ranks->needs_progress,
                                    .path = device->spans_hosts ? SCT_PATH_NVSHMEM : SCT_PATH_AUTO,
                                    .processes = true,
                                    .sign = ranks->sign};
    if (!status)
        status = sct_device_process_find_beside(self, sct_ranks_per_node_asked(options));
    if (status)
        processes_close(&self->upper.base);
    else
        *fabric = &self->upper.base;
    return status;
}
