/* event.h - points in time that one can ask for and wait for, whatever brings them about: commands
 * of a device, or transfers of a fabric. */
#ifndef SCT_BASE_EVENT_H
#define SCT_BASE_EVENT_H

#include <sectile/sectile.h>

#include <stdbool.h>

typedef struct sct_event sct_event;

/* What brings events of one kind about. */
typedef struct sct_event_ops {
    /* True if waiting would not block. Only waiting tells whether all went well. */
    bool (*done)(sct_event event);
    /* Blocks until the event is reached, and returns whether what it stands for succeeded. */
    sct_status (*wait)(sct_event event);
} sct_event_ops;

/* All zeros: reached. */
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
