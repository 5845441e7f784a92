/* node.h - finds out which ranks can map each other's memory. */
#ifndef SCT_FABRIC_MPI_NODE_H
#define SCT_FABRIC_MPI_NODE_H

#include "fabric/mpi/rank.h"

/* Collective over the communicator: fills in `leader`, `pid`, `crowded` and the fabric's
 * ranks_per_node, and maps the table of a team of all ranks. Pretends that no more than so many
 * ranks (0: any number) are on one machine. */
sct_status sct_mpi_find_team(sct_mpi *self, int ranks_per_node, sct_shared *table);

#endif
