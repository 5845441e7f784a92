/* timeline.h - a simulation as a timeline in SVG. */
#ifndef PICTURES_TIMELINE_H
#define PICTURES_TIMELINE_H

#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdio.h>

struct timeline {
    sct_trace_event *event;
    int64_t count, room;
};

/* Adds what a rank did from one time to another. False: out of memory. */
bool timeline_add(struct timeline *timeline, const sct_trace_event *event);
/* Draws the events below two lines of text; sorts them first. */
void timeline_draw(struct timeline *timeline, const char *heading, const char *more, int ranks,
                   double seconds, FILE *out);
void timeline_destroy(struct timeline *timeline);

#endif
