/* sockets.h - a wire of its own TCP connections, one between each two ranks that have sent each
 * other anything: for networks that MPI reaches by TCP too.
 *
 * Data goes from source to destination without a copy, in messages as large as the service makes
 * them, and no MPI limits the use of threads. A rank keeps 8 bytes for each other rank, 16 for each
 * host, and some 150 for each rank that it is connected to. For each of these it needs a file
 * descriptor, of which the system may allow fewer (ulimit -n). */
#ifndef SCT_FABRIC_SOCKETS_SOCKETS_H
#define SCT_FABRIC_SOCKETS_SOCKETS_H

#include "fabric/service/wire.h"

/* Collective. Succeeds on all ranks or on none. Waits some seconds for a rank that does not
 * respond. SCT_NO_ENGINE: some ranks cannot reach each other. */
SCT_API sct_status sct_sockets_create(const sct_bootstrap *ranks, sct_wire **wire);

#endif
