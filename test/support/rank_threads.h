/* rank_threads.h - the ranks of a test as threads, with the allgather that a bootstrap needs. */
#ifndef TEST_RANK_THREADS_H
#define TEST_RANK_THREADS_H

#include <sectile/sectile.h>

#include <pthread.h>

enum { RANK_THREADS_MOST = 16 };

typedef struct rank_group {
    pthread_barrier_t barrier;
    int ranks;
    const void *contribution[RANK_THREADS_MOST]; /* by rank, during an allgather */
} rank_group;

/* One rank: the first member of the struct that its thread is given. */
typedef struct rank_thread {
    rank_group *group;
    int rank;
    int gathers;  /* made so far */
    int fails_at; /* the allgather, counted from 1, that reports a failure to this rank; 0: none */
} rank_thread;

/* Runs `body` on one thread per rank and waits for all of them. `members` is an array of structs of
 * `bytes` bytes, one per rank; this function sets the group and the rank in each. */
void rank_threads_run(int ranks, void *(*body)(void *), void *members, size_t bytes);

/* This rank's bootstrap; `self` must outlive it. */
sct_bootstrap rank_threads_bootstrap(rank_thread *self);

/* The allgather of that bootstrap; `context` is a rank_thread. It gathers even if it reports a
 * failure, so that the failure may be reported to some ranks only. */
int rank_threads_allgather(void *context, const void *mine, size_t bytes, void *all);

#endif
