/* barrier.h - a barrier for threads of one process, or of several that share memory, which ends
 * when one of them leaves.
 *
 * A thread that leaves breaks the barrier: waiting threads are released, and later ones are turned
 * away. All threads own the barrier together; the last to leave frees it. */
#ifndef SCT_FABRIC_BARRIER_H
#define SCT_FABRIC_BARRIER_H

#include "fabric/suspect.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sct_barrier sct_barrier;

enum { SCT_BARRIER_MOST_RANKS = 4096 };

/* The collective call that a thread makes. */
typedef enum sct_barrier_call { SCT_TO_MEET, SCT_TO_EXCHANGE, SCT_TO_CLOSE } sct_barrier_call;

/* For `ranks` threads of this process; `busy` threads compete for its cores. */
sct_status sct_barrier_create(int ranks, int busy, sct_barrier **barrier);
/* For a barrier that no other thread knows yet. */
void sct_barrier_free(sct_barrier *barrier);

/* In memory that processes share, aligned to a cache line. Such a barrier is not freed. */
SCT_API size_t sct_barrier_bytes(void);
SCT_API sct_barrier *sct_barrier_place(void *memory, int ranks, int busy);

/* What a waiting thread calls. `idle`: repeatedly, instead of sleeping; or NULL. `watch`: about
 * once a second while it sleeps, and after a signal, to break the barrier if a thread is gone or
 * does not respond; or NULL. */
typedef struct sct_wait_hook {
    void (*idle)(void *context);
    void *context;
    void (*watch)(void *context);
} sct_wait_hook;

/* True if all threads came for the same call; what each wrote before is then visible to all. All
 * get the same answer. */
SCT_API bool sct_barrier_wait(sct_barrier *barrier, sct_barrier_call call,
                              const sct_wait_hook *hook);
SCT_API bool sct_barrier_broken(sct_barrier *barrier);
/* The failure of a broken barrier: its status and reason. */
SCT_API sct_status sct_barrier_failure(sct_barrier *barrier);

/* Why a barrier is broken: a rank, with the reason for sct_rank_failure, or this. */
enum { SCT_DIFFERENT_CALLS = -2 };
SCT_API sct_status sct_rendezvous_failure(int cause, int why);

/* Breaks the barrier because threads came for different calls. */
SCT_API void sct_barrier_disagree(sct_barrier *barrier);

/* Retires the thread from a broken barrier, once: from then on it touches no memory of others. */
void sct_barrier_retire(sct_barrier *barrier);
/* Waits until all threads have retired. */
void sct_barrier_await_retired(sct_barrier *barrier);

/* `why` as for sct_rank_failure. */
SCT_API void sct_barrier_break(sct_barrier *barrier, int rank, int why);
/* A thread's last call. True if it was the last thread of all, which then frees the barrier. */
bool sct_barrier_leave(sct_barrier *barrier);

#endif
