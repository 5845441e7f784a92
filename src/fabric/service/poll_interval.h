/* poll_interval.h - how whoever polls rests between two polls.
 *
 * Naps are long where large pieces come, of which several are under way, so that none is missed:
 * they shorten if many have come at once. They are short where somebody waits for little. */
#ifndef SCT_FABRIC_SERVICE_POLL_INTERVAL_H
#define SCT_FABRIC_SERVICE_POLL_INTERVAL_H

#include <stdbool.h>

/* What came and went at a poll. */
typedef struct sct_activity {
    int count;
    bool small; /* some of it: whoever asked for so little at a time waits for it */
} sct_activity;

/* All zero but for `yields`: the polls without activity before it first naps. */
typedef struct sct_pace {
    int yields;
    long nap_us; /* the last one */
} sct_pace;

void sct_pace_rest(sct_pace *pace, sct_activity activity, long longest_us);

#endif
