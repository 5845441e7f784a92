/* wire_trial.h - by what the service of the MPI fabric sends: messages of MPI, or sockets. */
#ifndef SCT_FABRIC_MPI_WIRE_TRIAL_H
#define SCT_FABRIC_MPI_WIRE_TRIAL_H

#include "fabric/mpi/rank.h"
#include "fabric/service/wire.h"

/* Collective. What the path asks for; by default, between machines, what a trial of some
 * milliseconds finds; `path` says what it is. It succeeds on all ranks or on none. */
sct_status sct_mpi_choose_wire(sct_mpi *self, sct_wire **wire, sct_path *path);

#endif
