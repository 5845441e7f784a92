/* recording.h - what the ranks of this process do in a product, and when, for the files of --svg
 * and
 * --trace. */
#ifndef CLI_DRAW_RECORDING_H
#define CLI_DRAW_RECORDING_H

#include "draw/trace_files.h"

/* The events of one rank. */
struct recorded {
    struct timeline events;
    bool lost; /* there was no memory for one */
};

struct recording {
    int ranks;
    struct recorded *rank;
    sct_observer *observer; /* for the job of each rank; NULL: nothing is recorded */
};

/* Reports if there is no memory. */
enum code recording_create(int ranks, struct recording *recording);
void recording_destroy(struct recording *recording);
/* Adds all events to the files, with times that begin at 0. Returns when the last one ends. */
double recording_add_to(const struct recording *recording, struct trace_files *files);

#endif
