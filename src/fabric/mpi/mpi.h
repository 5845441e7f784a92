/* mpi.h - the fabric of ranks that are processes of an MPI job. */
#ifndef SCT_FABRIC_MPI_MPI_H
#define SCT_FABRIC_MPI_MPI_H

#include "fabric/fabric.h"

#include <mpi.h>

/* A bootstrap from a communicator; this struct is the bootstrap's context. */
typedef struct sct_mpi_start {
    MPI_Comm comm; /* a duplicate; MPI_COMM_NULL once the fabric has taken it */
    sct_bootstrap bootstrap;
} sct_mpi_start;

/* Collective over the communicator. Fails on ranks where MPI is not running or the communicator is
 * null; the others then wait. `start` must not move. */
sct_status sct_mpi_start_create(MPI_Comm comm, sct_mpi_start *start);
void sct_mpi_start_destroy(sct_mpi_start *start);

/* Collective over the bootstrap of an sct_mpi_start, whose communicator it takes over. Remote
 * memory is reached by the path of the options, if it works, else by the best one that does. */
sct_status sct_fabric_mpi(const sct_bootstrap *bootstrap, const sct_world_options *options,
                          sct_fabric **fabric);

#endif
