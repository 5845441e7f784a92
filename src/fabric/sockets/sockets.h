/* sockets.h - a wire of TCP connections of its own, one between each two ranks: for networks that
 * are reached by TCP.
 *
 * Bytes go from where they lie to where they are wanted, without a stop in between, in as large
 * messages as a service makes; and there is nobody to ask whether several threads may call. */
#ifndef SCT_FABRIC_SOCKETS_SOCKETS_H
#define SCT_FABRIC_SOCKETS_SOCKETS_H

#include "fabric/service/wire.h"

/* Each rank needs a descriptor for every other. */
enum { SCT_SOCKETS_MOST_RANKS = 256 };

/* Collective over the ranks, of which there are at most so many; it succeeds on all or on none. A
 * rank that does not answer is waited for for seconds. SCT_NO_ENGINE: they cannot all reach each
 * other. */
SCT_API sct_status sct_sockets_create(const sct_bootstrap *ranks, sct_wire **wire);

#endif
