/* wires.h - wires between ranks that are threads of one test, for services without a network.
 *
 * Messages are delayed at random, and those of different kinds or ranks overtake each other. Some
 * are copied when they are sent; others stay in the sender's buffer until they are received. A
 * check fails if the service breaks a rule of wire.h. */
#ifndef TEST_WIRES_H
#define TEST_WIRES_H

#include "fabric/service/wire.h"

typedef struct wires wires;

/* A message may take up to `delay` polls. */
wires *wires_new(int ranks, size_t most_bytes, bool threaded, int delay, uint64_t seed);
/* Checks that all wires are closed and, unless one was told to break, that no message or request is
 * left. */
void wires_free(wires *all);

/* The wire of a rank, which must close it. */
sct_wire *wires_open(wires *all, int rank);

/* Makes the wire of a rank fail at its `calls`th call from now on. If `for_good`, all its later
 * calls fail too, and so do calls of other ranks that involve it. */
void wires_break(wires *all, int rank, long calls, bool for_good);

#endif
