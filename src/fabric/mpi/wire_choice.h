/* wire_choice.h - chooses the wire of the service: MPI messages or sockets. */
#ifndef SCT_FABRIC_MPI_WIRE_CHOICE_H
#define SCT_FABRIC_MPI_WIRE_CHOICE_H

#include "fabric/mpi/rank.h"
#include "fabric/service/wire.h"

/* Collective. Chooses by the requested path; by default, between hosts, sockets unless MPI can use
 * more than TCP, and the other wire if no message of that one arrives. Sets `path`. Succeeds on all
 * ranks or on none. */
sct_status sct_mpi_choose_wire(sct_process *self, sct_wire **wire, sct_path *path);

#endif
