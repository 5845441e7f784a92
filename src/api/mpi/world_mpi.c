/* world_mpi.c - the engine of ranks that are processes of an MPI job, and compute on the host. */
#include "api/engine.h"
#include "fabric/mpi/mpi.h"

#include <sectile/sectile_mpi.h>

static const sct_engine engine = {
    .name = "mpi", .open_fabric = sct_fabric_mpi, .open_device = sct_engine_open_host};

sct_status sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                sct_world **world) {
    sct_mpi_start start;
    sct_status status = sct_mpi_start_create(comm, &start);
    if (status != SCT_OK)
        return status;
    status = sct_world_create_on(&engine, &start.bootstrap, options, world);
    sct_mpi_start_destroy(&start);
    return status;
}
