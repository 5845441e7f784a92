/* threads_barrier.h - where threads of one process wait for each other.
 *
 * The barrier belongs to all who have joined: the last to leave frees it. */
#ifndef SCT_FABRIC_THREADS_BARRIER_H
#define SCT_FABRIC_THREADS_BARRIER_H

#include "base/status.h"

typedef struct sct_barrier sct_barrier;

/* For `ranks` threads, one of which creates and so joins it; `busy` threads run at once in all. */
sct_status sct_barrier_create(int ranks, int busy, sct_barrier **barrier);
void sct_barrier_join(sct_barrier *barrier);
/* What a thread wrote before is seen by all after. */
void sct_barrier_wait(sct_barrier *barrier);
void sct_barrier_leave(sct_barrier *barrier);

#endif
