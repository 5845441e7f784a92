/* wire.h - the wire on MPI: two-sided messages, which every MPI and network has. */
#ifndef SCT_FABRIC_MPI_WIRE_H
#define SCT_FABRIC_MPI_WIRE_H

#include "fabric/service/wire.h"

#include <mpi.h>

/* Collective. Takes over the communicator, even on failure; nothing else may use it. `threaded`:
 * MPI allows concurrent calls. */
sct_status sct_mpi_wire_create(MPI_Comm comm, bool threaded, sct_wire **wire);

#endif
