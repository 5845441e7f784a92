/* worker.h - runs work on all ranks. */
#ifndef CLI_RANKS_WORKER_H
#define CLI_RANKS_WORKER_H

#include "ranks/rank_group.h"

struct worker {
    struct rank_group *group;
    sct_world *world;
    int rank;
    enum code code; /* of this rank's first failure, with the reason in `text` */
    char text[500];
    const struct worker *mates; /* the workers of this process, including this one */
};

/* The work of a rank. Where a rank may fail alone, all must call worker_settle before the next
 * collective call. */
typedef sct_status worker_work(struct worker *worker, void *context);

/* Collective in the sense of rank_group.h: runs the work on all ranks. If any fails, the reason of
 * the lowest is reported once. */
enum code workers_run(const struct args *args, enum code code, worker_work *work, void *context);

/* Notes a failure that is not one of the library; returns SCT_FAILED. */
sct_status worker_fail(struct worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Collective: fails on all ranks if it is called with a failure on any. Waiting ranks sleep. */
sct_status worker_settle(struct worker *worker, sct_status status);

#endif
