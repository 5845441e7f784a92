/* pending.c - transfers that cannot begin yet, in the order in which they were started. */
#include "fabric/pending.h"

#include "base/status.h"

#include <stdlib.h>

struct sct_pending {
    sct_pending *next;
    uint64_t number;
    sct_event after;
    bool adds, begun;
    sct_target target;
    sct_type type; /* if it adds */
    void *memory;
    size_t pitch;
    sct_event reached; /* once it has begun */
};

/* Called when the event that the transfer comes after is reached. */
static sct_status begin(sct_fabric *fabric, sct_pending *it) {
    sct_status status = sct_event_wait(it->after);
    if (!status)
        status = it->adds ? fabric->ops->accumulate(fabric, NULL, it->type, it->memory, it->pitch,
                                                    &it->target, &it->reached)
                          : fabric->ops->get(fabric, NULL, &it->target, it->memory, it->pitch,
                                             &it->reached);
    it->begun = !status;
    return status;
}

/* One that fails to begin is left to whoever waits for it, and fails again then. */
void sct_pending_progress(sct_fabric *fabric) {
    for (sct_pending *it = fabric->pending; it; it = it->next)
        if (!it->begun && sct_event_done(it->after))
            (void)begin(fabric, it);
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
    return !it || (it->begun ? sct_event_done(it->reached) : sct_event_done(it->after));
}

static sct_status await(sct_event event) {
    sct_pending **link = find(event), *it = *link;
    if (!it)
        return SCT_OK;
    sct_pending_progress(event.of);
    sct_status status = it->begun ? SCT_OK : begin(event.of, it);
    if (!status)
        status = sct_event_wait(it->reached);
    *link = it->next;
    free(it);
    return status;
}

static const sct_event_ops events = {is_done, await};

static sct_status add(sct_fabric *fabric, const sct_pending *passed, sct_event *reached) {
    sct_pending **link = &fabric->pending, *made = malloc(sizeof *made);
    if (!made)
        return sct_no_memory("one more transfer");
    sct_pending_progress(fabric);
    while (*link)
        link = &(*link)->next;
    *made = *passed;
    made->number = ++fabric->pended;
    *link = made;
    *reached = (sct_event){&events, fabric, made->number};
    return SCT_OK;
}

sct_status sct_pending_get(sct_fabric *fabric, sct_event after, const sct_target *from, void *to,
                           size_t pitch, sct_event *reached) {
    const sct_pending get = {.after = after, .target = *from, .memory = to, .pitch = pitch};
    return add(fabric, &get, reached);
}

sct_status sct_pending_accumulate(sct_fabric *fabric, sct_event after, sct_type type,
                                  const void *from, size_t pitch, const sct_target *to,
                                  sct_event *reached) {
    const sct_pending addition = {.after = after,
                                  .adds = true,
                                  .target = *to,
                                  .type = type,
                                  .memory = (void *)from,
                                  .pitch = pitch};
    return add(fabric, &addition, reached);
}

void sct_pending_drain(sct_fabric *fabric) {
    while (fabric->pending)
        (void)await((sct_event){&events, fabric, fabric->pending->number});
}
