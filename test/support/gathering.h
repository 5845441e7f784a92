/* gathering.h - an allgather between the threads of a test. */
#ifndef TEST_GATHERING_H
#define TEST_GATHERING_H

#include <sectile/sectile.h>

#include <pthread.h>

enum { GATHERING_MOST_RANKS = 8 };

typedef struct gathering {
    pthread_barrier_t barrier;
    int ranks;
    const void *shown[GATHERING_MOST_RANKS];
} gathering;

/* What one thread passes. */
typedef struct gatherer {
    gathering *all;
    int rank;
} gatherer;

void gathering_begin(gathering *all, int ranks);
void gathering_end(gathering *all);
/* For this thread; `self` must last. */
sct_bootstrap gathering_bootstrap(gatherer *self);
/* The bootstrap's, of which `context` is a gatherer. */
int gathering_allgather(void *context, const void *mine, size_t bytes, void *all);

#endif
