/* event.h - the completion of commands of a device, or of transfers of a fabric, as a value that
 * can be tested and waited for. */
#ifndef SCT_BASE_EVENT_H
#define SCT_BASE_EVENT_H

#include <sectile/sectile.h>

#include <stdbool.h>

typedef struct sct_event sct_event;

/* The functions of one kind of event, such as those of a device. */
typedef struct sct_event_ops {
    /* True if a wait would not block. Only a wait returns whether the operation succeeded. */
    bool (*done)(sct_event event);
    /* Blocks until the event is reached, and returns whether the operation succeeded. */
    sct_status (*wait)(sct_event event);
} sct_event_ops;

/* All zeros: an event that has been reached. */
struct sct_event {
    const sct_event_ops *ops;
    void *of;
    uint64_t number;
};

static inline bool sct_event_done(sct_event event) {
    return !event.ops || event.ops->done(event);
}

static inline sct_status sct_event_wait(sct_event event) {
    return event.ops ? event.ops->wait(event) : SCT_OK;
}

#endif
