/* sectile_mpi.h - worlds whose ranks are the processes of an MPI job.
 *
 * There is one library for each MPI: link with that of the MPI that your program uses. Everything
 * else is in sectile.h. */
#ifndef SECTILE_MPI_H
#define SECTILE_MPI_H

#include <sectile/sectile.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a world of the processes of `comm`, an intracommunicator. The world duplicates it, so you
 * may free yours at once. Several worlds may exist at once. Destroy each before MPI_Finalize.
 *
 * options->engine is NULL or "mpi" for processes that compute on the host, "opencl" or "cuda" for
 * processes that each have a device (docs/engines.md). options->engine_options is NULL or
 * points to the options of that engine: an sct_processes_options for "mpi", else an
 * sct_opencl_options or sct_cuda_options.
 *
 * Ranks of one node share memory that sct_matrix_create allocates. All other memory is reached by
 * options->path. With messages over MPI, the owner replies in a thread of its own if MPI was
 * initialized with MPI_THREAD_MULTIPLE, otherwise only while it is in a call of this library on
 * the same world (docs/engines.md).
 *
 * Warns, in the log (sct_log), if MPI_COMM_WORLD, passed as `comm`, has one process only, but a
 * launcher says that it has started several: then each does all the work. Other communicators of
 * one process are meant so, unless this MPI does not know the launcher.
 *
 * Errors: SCT_NO_ENGINE if MPI is not initialized or already finalized, engine is another name, or
 * the path asked for does not work between these ranks; SCT_BAD_ARGUMENT for an
 * intercommunicator or MPI_COMM_NULL; SCT_FAILED if MPI fails or the BLAS has 64-bit integers.
 * Collective over comm. */
SCT_API sct_status sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                        sct_world **world);

#ifdef __cplusplus
}
#endif
#endif
