/* processes.h - the fabric of ranks that are any processes, of one host or several, without MPI.
 *
 * They need an allgather to meet, and never again. From then on ranks of a node meet in shared
 * memory, and ranks of several by messages over the connections that carry the data. */
#ifndef SCT_FABRIC_PROCESSES_PROCESSES_H
#define SCT_FABRIC_PROCESSES_PROCESSES_H

#include "fabric/fabric.h"

/* Collective over the bootstrap. */
sct_status sct_fabric_processes(const sct_bootstrap *bootstrap, const sct_world_options *options,
                                sct_fabric **fabric);

#endif
