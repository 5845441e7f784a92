/* mpi.h - the fabric of ranks that are processes of an MPI job. */
#ifndef SCT_FABRIC_MPI_MPI_H
#define SCT_FABRIC_MPI_MPI_H

#include "fabric/fabric.h"

#include <mpi.h>

/* How ranks of a communicator find each other: the context of the bootstrap is this itself. */
typedef struct sct_mpi_start {
    MPI_Comm comm; /* a duplicate; MPI_COMM_NULL: the fabric has it */
    sct_bootstrap bootstrap;
} sct_mpi_start;

/* Collective over the communicator, which is used for nothing else. Not on ranks where MPI is not
 * running or there is no communicator: there it fails, and others wait. `start` must stay where it
 * is. */
sct_status sct_mpi_start_create(MPI_Comm comm, sct_mpi_start *start);
void sct_mpi_start_destroy(sct_mpi_start *start);

/* Collective over the bootstrap, which must be that of an sct_mpi_start: takes its communicator.
 * What ranks cannot map goes by the path of the options, if that works, or by the one that works
 * best. */
sct_status sct_fabric_mpi(const sct_bootstrap *bootstrap, const sct_world_options *options,
                          sct_fabric **fabric);

#endif
