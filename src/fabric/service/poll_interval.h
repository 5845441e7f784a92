/* poll_interval.h - how long to rest between two polls.
 *
 * Naps are long while large pieces arrive, since several are in flight; they shorten when many
 * arrive at once. They are short when someone waits for a small message. */
#ifndef SCT_FABRIC_SERVICE_POLL_INTERVAL_H
#define SCT_FABRIC_SERVICE_POLL_INTERVAL_H

#include <stdbool.h>

/* What a poll has moved. */
typedef struct sct_activity {
    int count;
    bool small; /* some of it in small messages, for which someone waits */
} sct_activity;

/* All zeros except `yields`: the number of idle polls before the first nap. */
typedef struct sct_poll_interval {
    int yields;
    long nap_us; /* the last nap */
} sct_poll_interval;

void sct_poll_interval_rest(sct_poll_interval *interval, sct_activity activity, long longest_us);

#endif
