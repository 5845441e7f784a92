/* worker.h - a rank at work. */
#ifndef CLI_RANKS_WORKER_H
#define CLI_RANKS_WORKER_H

#include "ranks/rank_group.h"

struct member {
    struct team *team;
    sct_world *world;
    int rank;
    enum code code; /* what this rank has found, and in which words it says so */
    char text[500];
    const struct member *mates; /* the ranks of this process */
};

/* What a rank does. One that fails alone settles that before the next collective call. */
typedef sct_status member_work(struct member *member, void *context);

/* Collective, as functions of the team are: has all ranks work. If any fails, the reason of the
 * lowest is said, once. */
enum code member_run_all(const struct args *args, enum code code, member_work *work, void *context);

/* A failure that the library knows nothing of. */
sct_status member_fail(struct member *member, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Collective: fails on all ranks if on any. Who waits for others sleeps. */
sct_status member_settle(struct member *member, sct_status status);

#endif
