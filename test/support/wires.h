/* wires.h - wires between ranks that are threads of a test: for services without a network.
 *
 * Messages are delayed at random and those of different kinds or ranks overtake each other; some
 * are copied when sent, others lie in the sender's buffer until they are received. Rules of
 * wire.h that the service breaks are failed checks. */
#ifndef TEST_WIRES_H
#define TEST_WIRES_H

#include "fabric/service/wire.h"

typedef struct wires wires;

/* `delay` is how many polls a message may take. */
wires *wires_new(int ranks, size_t most_bytes, bool threaded, int delay, uint64_t seed);
/* All are closed; unless one was to fail, no message is left, nor was a request. */
void wires_free(wires *all);

/* To be closed by its owner. */
sct_wire *wires_open(wires *all, int rank);

/* The wire of a rank fails at its `calls`th call from now on: at that one only, or at all from then
 * on, and then those of others do who need it. */
void wires_break(wires *all, int rank, long calls, bool for_good);

#endif
