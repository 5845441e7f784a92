/* collective.h - barrier and exchange of the MPI fabric: through shared memory if all ranks are on
 * one node, else by messages.
 *
 * A rank that leaves, or makes a different call, breaks it: the current and all later calls of the
 * others fail. */
#ifndef SCT_FABRIC_MPI_COLLECTIVE_H
#define SCT_FABRIC_MPI_COLLECTIVE_H

#include "fabric/barrier.h"
#include "fabric/mpi/rank.h"

/* The bytes of the table shared by a node of all ranks. One rank prepares it before the others know
 * it. Its first 64 bytes are unused. */
size_t sct_mpi_table_bytes(int ranks);
void sct_mpi_table_prepare(void *memory, int ranks);

/* Takes over the table; without one, ranks use messages. */
sct_status sct_mpi_collective_create(int ranks, sct_shared *table, sct_mpi_collective **collective);
void sct_mpi_collective_free(sct_mpi_collective *collective);

/* Collective: returns once all ranks have made the same call. */
sct_status sct_mpi_barrier(sct_mpi *self, sct_barrier_call call);
/* Collective: an allgather. */
sct_status sct_mpi_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
/* Fails if collective calls are broken. */
sct_status sct_mpi_collective_status(sct_mpi *self);
/* The last collective call, which others may not make. */
void sct_mpi_leave(sct_mpi *self);
/* True if ranks that leave must wait for each other by messages. */
bool sct_mpi_synchronises_by_messages(const sct_mpi *self);

#endif
