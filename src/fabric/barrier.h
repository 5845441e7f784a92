/* barrier.h - where threads, of one process or of several that share memory, wait for each other,
 * until one of them leaves.
 *
 * A thread that leaves breaks the barrier: whoever waits is let go, and whoever comes is turned
 * away. The barrier belongs to all: the last to leave frees it. */
#ifndef SCT_FABRIC_BARRIER_H
#define SCT_FABRIC_BARRIER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sct_barrier sct_barrier;

enum { SCT_BARRIER_MOST_RANKS = 4096 };

/* What a thread has come for. */
typedef enum sct_errand { SCT_TO_MEET, SCT_TO_EXCHANGE, SCT_TO_CLOSE } sct_errand;

/* For `ranks` threads of this process; `busy` threads run at once in all. */
sct_status sct_barrier_create(int ranks, int busy, sct_barrier **barrier);
/* Before anybody else knows of it. */
void sct_barrier_free(sct_barrier *barrier);

/* Likewise in memory that processes share, aligned to a cache line. It is not freed. */
SCT_API size_t sct_barrier_bytes(void);
SCT_API sct_barrier *sct_barrier_place(void *memory, int ranks, int busy);

/* What a thread that must not sleep does again and again while it waits. */
typedef struct sct_idler {
    void (*idle)(void *context);
    void *context;
} sct_idler;

/* Whether all came, for the same: then what a thread wrote before is seen by all after. All are
 * told the same. */
SCT_API bool sct_barrier_wait(sct_barrier *barrier, sct_errand errand, const sct_idler *idler);
SCT_API bool sct_barrier_broken(sct_barrier *barrier);
/* The status, and the reason, of a barrier that is broken. */
SCT_API sct_status sct_barrier_failure(sct_barrier *barrier);

/* Why ranks cannot meet any more: the number of one that has left, or this. */
enum { SCT_DIFFERENT_ERRANDS = -2 };
SCT_API sct_status sct_meeting_failure(int cause);

/* Whoever finds that the threads have come for different things says so. */
SCT_API void sct_barrier_disagree(sct_barrier *barrier);

/* Of a broken barrier. A thread retires once: from then on it touches nobody else's memory. */
void sct_barrier_retire(sct_barrier *barrier);
void sct_barrier_await_retired(sct_barrier *barrier);

SCT_API void sct_barrier_break(sct_barrier *barrier, int rank);
/* The last that a thread does here. Whether it was the last of all, who then frees the barrier. */
bool sct_barrier_leave(sct_barrier *barrier);

#endif
