/* start_watch.h - watches a start that may wait without limit, as MPI_Init does: says after ten
 * seconds what is waited for, and ends the process when SECTILE_START_SECONDS are over. Ranks other
 * than 0 do the latter 5 s later, so that rank 0 can give the reason. */
#ifndef CLI_RANKS_START_WATCH_H
#define CLI_RANKS_START_WATCH_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct start_watch {
    pthread_t thread;
    sem_t ended;
    bool runs;
    int rank; /* -1: not known */
    char waited_for[200];
};

/* Begins to watch; `waited_for` completes "MPI_Init has waited 10 s for ...". Without a thread to
 * spare, nothing is watched. */
void start_watch_begin(struct start_watch *watch, int rank, const char *waited_for);
void start_watch_end(struct start_watch *watch);

#endif
