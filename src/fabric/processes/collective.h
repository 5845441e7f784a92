/* collective.h - barrier, exchange and reduction of ranks that are processes: through shared memory
 * if all ranks are on one node, else by messages.
 *
 * A rank that leaves, or makes a different call, breaks it: the current and all later calls of the
 * others fail. */
#ifndef SCT_FABRIC_PROCESSES_COLLECTIVE_H
#define SCT_FABRIC_PROCESSES_COLLECTIVE_H

#include "fabric/barrier.h"
#include "fabric/processes/rank.h"

/* The bytes of the table shared by a node of all ranks. One rank prepares it before the others know
 * it. Its first 64 bytes are unused. */
size_t sct_process_table_bytes(int ranks);
void sct_process_table_prepare(void *memory, int ranks);

/* Takes over the table; without one, ranks use messages. */
sct_status sct_process_collective_create(int ranks, sct_shared *table,
                                         sct_process_collective **collective);
void sct_process_collective_free(sct_process_collective *collective);

/* Collective: returns once all ranks have made the same call. */
sct_status sct_process_barrier(sct_process *self, sct_barrier_call call);
/* Collective: the calls of the fabric. By messages, each begins with a reduction, in which a few
 * words are reduced, too. */
sct_status sct_process_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
sct_status sct_process_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count);
/* Fails if collective calls are broken. Looks once a second whether a rank is gone, so that a rank
 * that makes no collective call learns of it too. */
sct_status sct_process_collective_status(sct_process *self);
/* Where this rank shows its sign. */
sct_sign *sct_process_sign(sct_process *self);
/* True once a second. */
bool sct_process_is_time_to_watch(sct_process *self);
/* Breaks the barrier in shared memory, if there is one, if a rank is gone or does not respond, or
 * this one is interrupted. The context is an sct_process_waiting. */
void sct_process_watch(void *context);
/* The last collective call, which others may not make. */
void sct_process_announce_leaving(sct_process *self);
/* True if ranks that leave must wait for each other by messages. */
bool sct_process_synchronises_by_messages(const sct_process *self);

#endif
