/* event_queue.h - what comes next: of many numbered things each has one time or none, and the
 * earliest is at hand.
 *
 * A binary heap that knows where each thing is, so that a time can be changed. */
#ifndef SCT_SIM_EVENT_QUEUE_H
#define SCT_SIM_EVENT_QUEUE_H

#include <sectile/sectile.h>

typedef struct sct_due {
    double time;
    int64_t thing;
} sct_due;

typedef struct sct_clock {
    int64_t things; /* numbers that there is room for */
    int64_t count;  /* things that have a time */
    int64_t *place; /* by thing: where it is in the heap; -1: it has no time */
    sct_due *heap;
} sct_clock;

/* Makes room for so many things; those that are new have no time. A cleared clock is all zero. */
sct_status sct_clock_grow(sct_clock *clock, int64_t things);
void sct_clock_clear(sct_clock *clock);

void sct_clock_set(sct_clock *clock, int64_t thing, double time);
void sct_clock_drop(sct_clock *clock, int64_t thing);
/* The earliest thing, of those the lowest; -1, never, if there is none. */
sct_due sct_clock_first(const sct_clock *clock);

#endif
