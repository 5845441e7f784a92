/* service_team.h - ranks on threads, each with a service: on the wires of wires.h or on sockets. */
#ifndef TEST_SERVICE_TEAM_H
#define TEST_SERVICE_TEAM_H

#include "fabric/service/service.h"
#include "support/rank_threads.h"
#include "support/wires.h"

typedef struct team_rank team_rank;

typedef struct team {
    int ranks;
    size_t most_bytes; /* of a message */
    bool threaded;
    int delay;
    uint64_t seed;
    bool may_break; /* messages may be left undelivered */
    bool sockets;   /* use sockets; the five members above then have no effect */
    void (*body)(team_rank *self);
    void *arg;
    /* Set by team_run. */
    wires *wires;
    struct team_barrier_state *state;
} team;

struct team_rank {
    rank_thread thread;
    team *team;
    int rank;
    uint64_t random;
    sct_service *service;
};

/* Runs the body on each rank. */
void team_run(team *all);
/* A barrier of all ranks. While they wait, services without a thread make progress. */
void team_barrier(team_rank *self);

#endif
