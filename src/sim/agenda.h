/* agenda.h - what comes next: of many numbered things each has one time or none, and the earliest
 * is at hand.
 *
 * A binary heap that knows where each thing is, so that a time can be changed. */
#ifndef SCT_SIM_AGENDA_H
#define SCT_SIM_AGENDA_H

#include <sectile/sectile.h>

typedef struct sct_agenda {
    int64_t things; /* numbers that there is room for */
    int64_t count;  /* things that have a time */
    double *time;   /* by thing */
    int64_t *place; /* by thing: where it is in the heap; -1: it has no time */
    int64_t *heap;
} sct_agenda;

/* Makes room for so many things; those that are new have no time. A cleared agenda is all zero. */
sct_status sct_agenda_grow(sct_agenda *agenda, int64_t things);
void sct_agenda_clear(sct_agenda *agenda);

void sct_agenda_set(sct_agenda *agenda, int64_t thing, double time);
void sct_agenda_drop(sct_agenda *agenda, int64_t thing);
/* The earliest thing, of those the lowest; -1: there is none. */
int64_t sct_agenda_first(const sct_agenda *agenda);

#endif
