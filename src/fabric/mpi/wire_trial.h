/* wire_trial.h - chooses the wire of the service: MPI messages or sockets. */
#ifndef SCT_FABRIC_MPI_WIRE_TRIAL_H
#define SCT_FABRIC_MPI_WIRE_TRIAL_H

#include "fabric/mpi/rank.h"
#include "fabric/service/wire.h"

/* Collective. Chooses by the requested path; by default, between nodes, by a trial of some
 * milliseconds. Sets `path`. Succeeds on all ranks or on none. */
sct_status sct_mpi_choose_wire(sct_process *self, sct_wire **wire, sct_path *path);

#endif
