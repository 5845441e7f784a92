/* pending.c - starts transfers, and keeps those that cannot begin yet, in the order of their calls.
 */
#include "fabric/pending.h"

#include "base/status.h"

#include <stdlib.h>

/* A get or an accumulate. */
typedef struct transfer {
    sct_target target;
    void *memory;
    size_t pitch;
    bool adds;
    sct_type type; /* if it adds */
    sct_event after;
} transfer;

struct sct_pending {
    sct_pending *next;
    uint64_t number;
    transfer transfer;
    bool begun;
    sct_event reached; /* once it has begun */
};

static void count(sct_fabric *fabric, const transfer *t) {
    const sct_target *target = &t->target;
    uint64_t bytes = (uint64_t)target->part.lines * target->part.width;
    if (t->adds && target->rank != fabric->rank)
        fabric->bytes_accumulated += bytes;
    if (!t->adds && !fabric->ops->peer(target->segment, target->rank))
        fabric->bytes_got += bytes;
}

/* Called when the event that the transfer comes after is reached. */
static sct_status begin(sct_fabric *fabric, sct_stream *stream, const transfer *t,
                        sct_event *reached) {
    const sct_fabric_ops *ops = fabric->ops;
    sct_status status = sct_event_wait(t->after);
    if (!status)
        status = ops->check(fabric);
    if (!status)
        status = t->adds ? ops->accumulate(fabric, stream, t->type, t->memory, t->pitch, &t->target,
                                           reached)
                         : ops->get(fabric, stream, &t->target, t->memory, t->pitch, reached);
    if (!status)
        count(fabric, t);
    return status;
}

static sct_status begin_pending(sct_fabric *fabric, sct_pending *it) {
    sct_status status = begin(fabric, NULL, &it->transfer, &it->reached);
    it->begun = !status;
    return status;
}

/* One that fails to begin is left to whoever waits for it, and fails again then. */
void sct_pending_progress(sct_fabric *fabric) {
    for (sct_pending *it = fabric->pending; it; it = it->next)
        if (!it->begun && sct_event_done(it->transfer.after))
            (void)begin_pending(fabric, it);
}

/* The pointer to an event's transfer in the list. It points to NULL, at the end of the list, if the
 * transfer has been completed and removed. */
static sct_pending **find(sct_event event) {
    sct_fabric *fabric = event.of;
    sct_pending **link = &fabric->pending;
    while (*link && (*link)->number != event.number)
        link = &(*link)->next;
    return link;
}

static bool is_done(sct_event event) {
    sct_pending *it = *find(event);
    sct_pending_progress(event.of);
    return !it || sct_event_done(it->begun ? it->reached : it->transfer.after);
}

static sct_status await(sct_event event) {
    sct_pending **link = find(event), *it = *link;
    if (!it)
        return SCT_OK;
    sct_pending_progress(event.of);
    sct_status status = it->begun ? SCT_OK : begin_pending(event.of, it);
    if (!status)
        status = sct_event_wait(it->reached);
    *link = it->next;
    free(it);
    return status;
}

static const sct_event_ops events = {is_done, await};

static sct_status add(sct_fabric *fabric, const transfer *t, sct_event *reached) {
    sct_pending **link = &fabric->pending, *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("one more transfer");
    sct_pending_progress(fabric);
    while (*link)
        link = &(*link)->next;
    *made = (sct_pending){.number = ++fabric->pended, .transfer = *t};
    *link = made;
    *reached = (sct_event){&events, fabric, made->number};
    return SCT_OK;
}

static sct_status start(sct_fabric *fabric, sct_stream *stream, transfer *t, sct_event *reached) {
    *reached = (sct_event){.ops = NULL};
    if (sct_rectangle_is_empty(&t->target.part))
        return SCT_OK;
    if (fabric->ops->transfers_are_commands)
        return begin(fabric, stream, t, reached);
    t->after = sct_fabric_after(fabric, stream);
    return sct_event_done(t->after) ? begin(fabric, NULL, t, reached) : add(fabric, t, reached);
}

sct_status sct_fabric_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                          size_t pitch, sct_event *reached) {
    transfer get = {.target = *from, .memory = to, .pitch = pitch};
    return start(fabric, stream, &get, reached);
}

sct_status sct_fabric_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                 const void *from, size_t pitch, const sct_target *to,
                                 sct_event *reached) {
    transfer addition = {
        .target = *to, .memory = (void *)from, .pitch = pitch, .adds = true, .type = type};
    return start(fabric, stream, &addition, reached);
}

void sct_pending_drain(sct_fabric *fabric) {
    while (fabric->pending)
        (void)await((sct_event){&events, fabric, fabric->pending->number});
}
