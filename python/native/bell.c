/* bell.c - wakes threads that wait for a count to go on. */
#include "bell.h"

#include <unistd.h>

/* A caller in a loop calls again within some 10 microseconds, which is less than it takes to sleep
 * and wake. So waiting threads poll for some tens of microseconds, if each has a processor. */
enum { POLLS = 100000 };

void bell_init(struct bell *bell, int threads) {
    pthread_mutex_init(&bell->lock, NULL);
    pthread_cond_init(&bell->rung, NULL);
    atomic_init(&bell->count, 0);
    bell->polls = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? POLLS : 0;
}

void bell_destroy(struct bell *bell) {
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
}

void bell_ring(struct bell *bell) {
    pthread_mutex_lock(&bell->lock);
    atomic_fetch_add(&bell->count, 1);
    pthread_cond_broadcast(&bell->rung);
    pthread_mutex_unlock(&bell->lock);
}

void bell_wait(struct bell *bell, unsigned seen) {
    for (int i = 0; i < bell->polls; i++)
        if (atomic_load_explicit(&bell->count, memory_order_acquire) != seen)
            return;
    pthread_mutex_lock(&bell->lock);
    while (atomic_load(&bell->count) == seen)
        pthread_cond_wait(&bell->rung, &bell->lock);
    pthread_mutex_unlock(&bell->lock);
}
