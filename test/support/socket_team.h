/* socket_team.h - ranks on threads, connected by sockets. */
#ifndef TEST_SOCKET_TEAM_H
#define TEST_SOCKET_TEAM_H

#include "fabric/sockets/sockets.h"
#include "support/rank_threads.h"

enum { SOCKET_RANKS = 3 };

typedef struct socket_member {
    rank_thread thread;
    void (*body)(sct_wire *wire, struct socket_member *self);
    void (*visit)(void); /* called when all ranks listen, before they connect; or NULL */
    sct_status status;   /* of the wire's creation */
} socket_member;

/* Runs the body on each rank with a wire, which is closed afterwards. Every member starts as a copy
 * of `like`, except that only rank 0 keeps its failing allgather. */
void socket_team_run(socket_member like, socket_member members[SOCKET_RANKS]);
/* The same, and checks that every rank got its wire. */
void socket_team_run_well(socket_member like);

void socket_team_barrier(socket_member *self);
/* Makes progress on the wire until a message is complete. */
void socket_await(sct_wire *wire, sct_message message);

#endif
