/* service_team.h - ranks on threads, each with a service on a wire that is no network, or on
 * sockets. */
#ifndef TEST_SERVICE_TEAM_H
#define TEST_SERVICE_TEAM_H

#include "fabric/service/service.h"
#include "support/wires.h"

typedef struct team_rank team_rank;

typedef struct team {
    int ranks;
    size_t most_bytes; /* of a message */
    bool threaded;
    int delay;
    uint64_t seed;
    bool may_break; /* messages may be left */
    bool sockets;   /* and nothing of the five above counts */
    void (*body)(team_rank *self);
    void *arg;
    /* The team's own. */
    wires *wires;
    struct gathering *gathering;
    struct team_meeting *collective;
} team;

struct team_rank {
    team *team;
    int rank;
    uint64_t random;
    sct_service *service;
};

/* Runs the body on each rank. */
void team_run(team *all);
/* All ranks come here. Services without a thread answer meanwhile. */
void team_meet(team_rank *self);

#endif
