/* sectile_mpi.h - worlds whose ranks are the processes of an MPI job.
 *
 * There is one library for each MPI: link with the one whose MPI the program uses. All else is in
 * sectile.h. */
#ifndef SECTILE_MPI_H
#define SECTILE_MPI_H

#include <sectile/sectile.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the communicator, of which the world has a duplicate: it may be freed at once,
 * and MPI_COMM_WORLD is not used. Several worlds may exist at once. MPI must be initialized, and
 * the world be destroyed before MPI is finalized.
 *
 * Ranks of one machine see each other's memory, if it was made by sct_matrix_create. All else they
 * get and accumulate by messages, which a thread of its own answers in each process if MPI was
 * initialized with MPI_THREAD_MULTIPLE; else they are answered whenever the process is in a call of
 * this library.
 *
 * options->engine is NULL or "mpi". options->ranks_per_node pretends that no more than so many
 * ranks are on one machine. */
SCT_API sct_status sct_world_create_mpi(MPI_Comm comm, const sct_world_options *options,
                                        sct_world **world);

#ifdef __cplusplus
}
#endif
#endif
