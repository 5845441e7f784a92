/* event_queue.h - the next event: each of many numbered things has one time or none, and the
 * earliest is found at once.
 *
 * A binary heap that knows where each thing is, so that its time can be changed. */
#ifndef SCT_SIM_EVENT_QUEUE_H
#define SCT_SIM_EVENT_QUEUE_H

#include <sectile/sectile.h>

typedef struct sct_event {
    double time;
    int64_t thing;
} sct_event;

typedef struct sct_event_queue {
    int64_t things; /* capacity */
    int64_t count;  /* things with a time */
    int64_t *place; /* by thing: place in the heap; -1: no time */
    sct_event *heap;
} sct_event_queue;

/* Makes room for this many things; new ones have no time. A cleared queue is all zeros. */
sct_status sct_event_queue_grow(sct_event_queue *queue, int64_t things);
void sct_event_queue_clear(sct_event_queue *queue);

void sct_event_queue_set(sct_event_queue *queue, int64_t thing, double time);
void sct_event_queue_drop(sct_event_queue *queue, int64_t thing);
/* The earliest thing; the lowest of equals; -1 with an infinite time if there is none. */
sct_event sct_event_queue_first(const sct_event_queue *queue);

#endif
