/* socket_team.h - ranks on threads, joined by sockets. */
#ifndef TEST_SOCKET_TEAM_H
#define TEST_SOCKET_TEAM_H

#include "fabric/sockets/sockets.h"
#include "support/gathering.h"

enum { SOCKET_RANKS = 3 };

typedef struct socket_member {
    gatherer place;
    void (*body)(sct_wire *wire, struct socket_member *self);
    void (*visit)(void); /* done when all listen, before they connect; or NULL */
    int fails;           /* the gather that fails on rank 0, from 1 */
    int gathers;
    sct_status status; /* of the wire's creation */
} socket_member;

/* Runs the body on each rank, with a wire that is closed then; members are all like that one. */
void socket_team_run(socket_member like, socket_member members[SOCKET_RANKS]);
/* All must succeed. */
void socket_team_run_well(socket_member like);

/* All ranks come here. */
void socket_team_meet(socket_member *self);
/* Moves the wire until a message is done. */
void socket_await(sct_wire *wire, sct_message message);

#endif
