/* wire.h - the wire on MPI: two-sided messages, which every MPI and network has; and the choice
 * between it and sockets. */
#ifndef SCT_FABRIC_MPI_WIRE_H
#define SCT_FABRIC_MPI_WIRE_H

#include "fabric/mpi/rank.h"
#include "fabric/service/wire.h"

#include <mpi.h>

/* Collective. Takes over the communicator, even on failure; nothing else may use it. `threaded`:
 * MPI allows concurrent calls. */
sct_status sct_mpi_wire_create(MPI_Comm comm, bool threaded, sct_wire **wire);

/* Collective. Chooses by the requested path; by default, between hosts, sockets unless MPI can use
 * more than TCP, and the other wire if no message of that one arrives. Sets `path`. Succeeds on all
 * ranks or on none. */
sct_status sct_mpi_choose_wire(sct_process *self, sct_wire **wire, sct_path *path);

#endif
