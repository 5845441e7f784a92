/* transfers.c - the fabric of ranks that are processes: transfers.
 *
 * There are four routes to the memory of a rank: by pointer, if it is mapped; by cross-memory
 * attach, if it is wrapped memory of this node; by the engine's own one-sided operations, if it has
 * any; otherwise by messages to the owner. The route to each rank is chosen when a segment is made.
 */
#include "fabric/pending.h"
#include "fabric/processes/cma.h"
#include "fabric/processes/collective.h"
#include "fabric/processes/segment.h"

static sct_place_far place_of(const sct_target *target) {
    return (sct_place_far){.id = target->segment->id,
                           .rank = target->rank,
                           .block = target->block,
                           .part = target->part};
}

static bool is_of_node(sct_service *service, const void *context, int rank) {
    const sct_process *self = context;
    (void)service;
    return rank != self->base.rank && sct_process_same_node(self, rank);
}

/* Whether to wait on for a lock that another process of the node holds. */
static bool continues(void *context) {
    sct_process_waiting *waiting = context;
    sct_process *self = waiting->self;
    if (sct_process_is_time_to_watch(self))
        sct_process_watch(waiting);
    if (sct_process_synchronises_by_messages(self))
        sct_service_look_out(self->service, &waiting->lookout, is_of_node, self);
    return sct_process_collective_status(self) == SCT_OK;
}

/* For the next addition. */
static const sct_lock_wait *begin_locking(sct_process *self) {
    self->locking = sct_process_begin_waiting(self);
    self->lock_wait = (sct_lock_wait){continues, &self->locking};
    return &self->lock_wait;
}

/* ---- Mapped memory ---- */

static sct_status get_mapped(sct_process *self, const sct_target *from, void *to, size_t pitch,
                             sct_event *reached) {
    const sct_segment_part *part = &from->segment->parts[sct_process_seat_of(self, from->rank)];
    const sct_memory *block = &part->blocks[from->block];
    const sct_transfer copy = sct_transfer_get(block, &from->part, to, pitch);
    (void)reached;
    sct_transfer_run(&copy);
    return SCT_OK;
}

static sct_status add_mapped(sct_process *self, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_event *reached) {
    const sct_segment_part *part = &to->segment->parts[sct_process_seat_of(self, to->rank)];
    sct_transfer addition =
        sct_transfer_accumulate(&part->blocks[to->block], &part->bands[to->block], &to->part, type,
                                from, pitch, self->base.rank);
    (void)reached;
    addition.wait = begin_locking(self);
    sct_transfer_run(&addition);
    return SCT_OK;
}

/* ---- Wrapped memory of the node ---- */

static sct_status get_by_cma(sct_process *self, const sct_target *from, void *to, size_t pitch,
                             sct_event *reached) {
    int seat = sct_process_seat_of(self, from->rank);
    const sct_memory *block = &from->segment->parts[seat].cma[from->block];
    sct_transfer copy = sct_transfer_get(block, &from->part, to, pitch);
    *reached = sct_cma_event(self->cma);
    return sct_cma_get(self->cma, self->node[seat].pid, &copy);
}

static sct_status add_by_cma(sct_process *self, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_event *reached) {
    int seat = sct_process_seat_of(self, to->rank);
    const sct_segment_part *part = &to->segment->parts[seat];
    sct_transfer addition = sct_transfer_accumulate(&part->cma[to->block], &part->bands[to->block],
                                                    &to->part, type, from, pitch, self->base.rank);
    addition.wait = begin_locking(self);
    *reached = sct_cma_event(self->cma);
    return sct_cma_add(self->cma, self->node[seat].pid, &addition);
}

/* ---- Other memory, by messages ---- */

static bool is_answered(sct_event event) {
    return sct_service_done(event.of, event.number);
}

static sct_status await_answer(sct_event event) {
    return sct_service_wait(event.of, event.number);
}

static sct_event event_of(sct_service *service, uint64_t number) {
    static const sct_event_ops events = {is_answered, await_answer};
    return (sct_event){&events, service, number};
}

static sct_status get_by_messages(sct_process *self, const sct_target *from, void *to, size_t pitch,
                                  sct_event *reached) {
    sct_place_far place = place_of(from);
    uint64_t number = 0;
    sct_status status = sct_service_get(self->service, &place, to, pitch, &number);
    *reached = event_of(self->service, number);
    return status;
}

static sct_status add_by_messages(sct_process *self, sct_type type, const void *from, size_t pitch,
                                  const sct_target *to, sct_event *reached) {
    sct_place_far place = place_of(to);
    uint64_t number = 0;
    sct_status status = sct_service_accumulate(self->service, type, from, pitch, &place, &number);
    *reached = event_of(self->service, number);
    return status;
}

/* ---- All transfers ---- */

sct_routes sct_process_routes(const sct_segment *segment, const sct_segment_part *part) {
    static const sct_routes mapped = {"pointer", get_mapped, add_mapped},
                            cma = {"cross-memory attach", get_by_cma, add_by_cma},
                            messages = {"messages", get_by_messages, add_by_messages};
    bool is_mapped = part && part->blocks && !segment->fabric->bounces;
    sct_routes routes = is_mapped ? mapped : part && part->cma ? cma : messages;
    if (segment->window && !is_mapped) {
        routes.name = segment->fabric->direct->routes.name;
        routes.get = segment->fabric->direct->routes.get;
    }
    if (segment->window) /* whose additions are atomic only among themselves */
        routes.accumulate = segment->fabric->direct->routes.accumulate;
    return routes;
}

const sct_routes *sct_segment_routes(sct_segment *segment, int rank) {
    const sct_segment_part *part = sct_segment_part_of(segment, rank);
    return part ? &part->routes : &segment->far;
}

static sct_status process_check(sct_fabric *fabric) {
    return sct_process_collective_status(sct_process_of(fabric));
}

static sct_status process_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                              void *to, size_t pitch, sct_event *reached) {
    sct_process *self = sct_process_of(fabric);
    (void)stream;
    return sct_segment_routes(from->segment, from->rank)->get(self, from, to, pitch, reached);
}

static sct_status process_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                     const void *from, size_t pitch, const sct_target *to,
                                     sct_event *reached) {
    sct_process *self = sct_process_of(fabric);
    (void)stream;
    return sct_segment_routes(to->segment, to->rank)
        ->accumulate(self, type, from, pitch, to, reached);
}

static void process_progress(sct_fabric *fabric) {
    sct_process *self = sct_process_of(fabric);
    sct_pending_progress(fabric);
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
    sct_pending_drain(fabric);
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
    .check = process_check,
    .get = process_get,
    .accumulate = process_accumulate,
    .order = sct_fabric_order_by_waiting,
    .barrier = process_barrier,
    .exchange = sct_process_exchange,
    .reduce = sct_process_reduce,
    .progress = process_progress,
};
