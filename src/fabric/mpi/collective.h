/* collective.h - barrier and exchange of the MPI fabric: where all ranks are one team through
 * memory that they share, else by messages.
 *
 * A rank that leaves, or that comes for something else, breaks it: all are told so, then and
 * whenever they come again. */
#ifndef SCT_FABRIC_MPI_COLLECTIVE_H
#define SCT_FABRIC_MPI_COLLECTIVE_H

#include "fabric/barrier.h"
#include "fabric/mpi/rank.h"

/* Bytes of the memory that a team of all ranks shares; it is prepared by one of them before the
 * others know of it. Its first 64 bytes are not used. */
size_t sct_mpi_table_bytes(int ranks);
void sct_mpi_table_prepare(void *memory, int ranks);

/* Takes the table, or its absence: then ranks meet by messages. */
sct_status sct_mpi_meeting_create(int ranks, sct_shared *table, sct_mpi_meeting **meeting);
void sct_mpi_meeting_free(sct_mpi_meeting *meeting);

/* Collective: all have come, for the same errand. */
sct_status sct_mpi_meet(sct_mpi *self, sct_errand errand);
/* Collective: an allgather. */
sct_status sct_mpi_exchange(sct_mpi *self, const void *mine, size_t bytes, void *all);
/* Not SCT_OK if ranks cannot meet any more. */
sct_status sct_mpi_meeting_status(sct_mpi *self);
/* The last meeting, for which others may not have come. */
void sct_mpi_leave(sct_mpi *self);
/* Whether ranks that part have to wait for each other by messages. */
bool sct_mpi_meets_by_messages(const sct_mpi *self);

#endif
