/* bell.h - wakes threads that wait for a count to go on. */
#ifndef PYTHON_BELL_H
#define PYTHON_BELL_H

#include <pthread.h>
#include <stdatomic.h>

struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rung;
    atomic_uint count;
    int polls;
};

/* threads: those that work at the same time. */
void bell_init(struct bell *bell, int threads);
void bell_destroy(struct bell *bell);
/* Adds one to the count, and wakes those who wait. */
void bell_ring(struct bell *bell);
/* Waits until the count is no longer `seen`: for a moment at the processor, then asleep. */
void bell_wait(struct bell *bell, unsigned seen);

#endif
