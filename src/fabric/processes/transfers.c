/* transfers.c - the fabric of ranks that are processes: transfers.
 *
 * Mapped memory is used as among threads. Wrapped memory of the node is reached through the
 * system. For other memory the owner is asked. */
#include "fabric/processes/across.h"
#include "fabric/processes/collective.h"
#include "fabric/processes/segment.h"

static sct_place_far place_of(const sct_target *target) {
    return (sct_place_far){.id = target->segment->id,
                           .rank = target->rank,
                           .block = target->block,
                           .line = target->line,
                           .byte = target->byte,
                           .lines = target->lines,
                           .width = target->width};
}

/* The ticket of all transfers that are being collected: waiting for one completes all. */
static const sct_ticket collected = (sct_ticket)1 << 62;

static bool is_of_node(sct_service *service, const void *context, int rank) {
    const sct_process *self = context;
    (void)service;
    return rank != self->base.rank && sct_process_same_node(self, rank);
}

/* Whether to wait on for a lock that another process of the node holds. */
static bool goes_on(void *context) {
    sct_process_waiting *waiting = context;
    sct_process *self = waiting->self;
    if (sct_process_is_time_to_watch(self))
        sct_process_watch(waiting);
    if (sct_process_synchronises_by_messages(self))
        sct_service_look_out(self->service, &waiting->lookout, is_of_node, self);
    return sct_process_collective_status(self) == SCT_OK;
}

/* For the next addition. */
static const sct_patient *begin_locking(sct_process *self) {
    self->locking = sct_process_begin_waiting(self);
    self->patient = (sct_patient){goes_on, &self->locking};
    return &self->patient;
}

static sct_status get_across(const sct_process *self, const sct_target *from, void *to,
                             size_t pitch, sct_ticket *ticket) {
    const sct_memory *block = &from->segment->parts[from->rank].across[from->block];
    sct_transfer copy = sct_transfer_get(block, from, to, pitch);
    *ticket = collected;
    return sct_across_get(self->across, self->pid[from->rank], &copy);
}

static sct_status add_across(sct_process *self, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_ticket *ticket) {
    const sct_part *part = &to->segment->parts[to->rank];
    sct_transfer addition = sct_transfer_accumulate(
        &part->across[to->block], &part->bands[to->block], to, type, from, pitch, self->base.rank);
    addition.patient = begin_locking(self);
    *ticket = collected;
    return sct_across_add(self->across, self->pid[to->rank], &addition);
}

static sct_status process_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                              sct_ticket *ticket) {
    sct_process *self = sct_process_of(fabric);
    *ticket = 0;
    if (sct_target_is_empty(from))
        return SCT_OK;
    sct_status status = sct_process_collective_status(self);
    if (status != SCT_OK)
        return status;
    const sct_part *part = &from->segment->parts[from->rank];
    if (part->blocks) {
        sct_transfer transfer = sct_transfer_get(&part->blocks[from->block], from, to, pitch);
        sct_transfer_run(&transfer);
    } else if (from->segment->window) {
        status = self->direct->get(self, from, to, pitch, ticket);
    } else if (part->across) {
        status = get_across(self, from, to, pitch, ticket);
    } else {
        sct_place_far place = place_of(from);
        status = sct_service_get(self->service, &place, to, pitch, ticket);
    }
    if (status == SCT_OK && !sct_process_segment_peer(from->segment, from->rank))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return status;
}

static sct_status process_accumulate(sct_fabric *fabric, sct_type type, const void *from,
                                     size_t pitch, const sct_target *to, sct_ticket *ticket) {
    sct_process *self = sct_process_of(fabric);
    *ticket = 0;
    if (sct_target_is_empty(to))
        return SCT_OK;
    sct_status status = sct_process_collective_status(self);
    if (status != SCT_OK)
        return status;
    const sct_part *part = &to->segment->parts[to->rank];
    if (to->segment->window) {
        status = self->direct->accumulate(self, type, from, pitch, to, ticket);
    } else if (part->blocks) {
        sct_transfer transfer = sct_transfer_accumulate(
            &part->blocks[to->block], &part->bands[to->block], to, type, from, pitch, fabric->rank);
        transfer.patient = begin_locking(self);
        sct_transfer_run(&transfer);
    } else if (part->across) {
        status = add_across(self, type, from, pitch, to, ticket);
    } else {
        sct_place_far place = place_of(to);
        status = sct_service_accumulate(self->service, type, from, pitch, &place, ticket);
    }
    if (status == SCT_OK && to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
    return status;
}

static bool is_direct(const sct_process *self, sct_ticket ticket) {
    return self->direct && self->direct->owns(ticket);
}

static sct_status process_wait(sct_fabric *fabric, sct_ticket ticket) {
    sct_process *self = sct_process_of(fabric);
    if (ticket == 0)
        return SCT_OK;
    if (ticket == collected)
        return sct_across_finish(self->across);
    return is_direct(self, ticket) ? self->direct->wait(self, ticket)
                                   : sct_service_wait(self->service, ticket);
}

static bool process_done(sct_fabric *fabric, sct_ticket ticket) {
    sct_process *self = sct_process_of(fabric);
    if (ticket == collected)
        sct_across_finish(self->across); /* waiting tells whether it failed */
    if (ticket == 0 || ticket == collected)
        return true;
    return is_direct(self, ticket) ? self->direct->done(self, ticket)
                                   : sct_service_done(self->service, ticket);
}

static void process_progress(sct_fabric *fabric) {
    sct_process *self = sct_process_of(fabric);
    if (sct_process_must_serve(self))
        sct_service_progress(self->service);
    if (self->direct)
        self->direct->progress(self);
}

static sct_status process_barrier(sct_fabric *fabric) {
    return sct_process_barrier(sct_process_of(fabric), SCT_TO_MEET);
}

static void process_close(sct_fabric *fabric) {
    sct_process *self = sct_process_of(fabric);
    self->ops->close(self);
}

const sct_fabric_ops sct_process_fabric_ops = {
    .name = "processes",
    .close = process_close,
    .segment_open = sct_process_segment_open,
    .segment_wrap = sct_process_segment_wrap,
    .segment_close = sct_process_segment_close,
    .peer = sct_process_segment_peer,
    .per_node = sct_process_segment_per_node,
    .get = process_get,
    .accumulate = process_accumulate,
    .wait = process_wait,
    .done = process_done,
    .barrier = process_barrier,
    .exchange = sct_process_exchange,
    .progress = process_progress,
};
