/* wire.h - the wire of MPI: two-sided messages, which every MPI and every network has. */
#ifndef SCT_FABRIC_MPI_WIRE_H
#define SCT_FABRIC_MPI_WIRE_H

#include "fabric/service/wire.h"

#include <mpi.h>

/* Collective. Takes the communicator, also if it fails; nothing else may use it. `threaded`: MPI
 * allows calls by several threads at once. */
sct_status sct_mpi_wire_create(MPI_Comm comm, bool threaded, sct_wire **wire);

#endif
