/* resources.h - what holds up the transfers of one rank that are under way at once.
 *
 * Transfers through different channels go side by side; what they take of one channel adds up. For
 * each other rank there is one channel from it and one to it, at each level the rank's port and its
 * group's uplink, in and out, and what its group can do in all; then the rank's own memory, how
 * much may be under way at once, and the rank itself, whose products add up there with what it
 * copies and adds. At the other end of a transfer nothing is narrower, and less of this rank's goes
 * through it; what others do is not known. Through one channel they pass as if
 * one after another, each after its latency. */
#ifndef SCT_ORDER_RESOURCES_H
#define SCT_ORDER_RESOURCES_H

#include "machine/machine.h"

enum { SCT_CHANNEL_RANK, SCT_MOST_TOLLS = 6 };

/* Bytes that go between a rank and one other, or within it. */
typedef struct sct_transfer {
    int peer;
    bool adds; /* to the peer's memory; else they come from there */
    double bytes;
} sct_transfer;

/* For how long a transfer takes up a channel. */
typedef struct sct_toll {
    int64_t channel;
    double seconds;
} sct_toll;

/* How many there are. */
int64_t sct_channels(const sct_machine *machine, int ranks);
/* Says what a transfer of the rank takes, one toll to a channel; returns how many these are. */
int sct_transfer_tolls(const sct_machine *machine, int rank, const sct_transfer *transfer,
                       sct_toll toll[SCT_MOST_TOLLS]);

#endif
