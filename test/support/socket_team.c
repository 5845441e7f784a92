/* socket_team.c - see socket_team.h. */
#include "support/socket_team.h"

#include "support/check.h"

#include <sched.h>

void socket_team_barrier(socket_member *self) {
    pthread_barrier_wait(&self->thread.group->barrier);
}

void socket_await(sct_wire *wire, sct_message message) {
    bool done = false;
    while (!done && CHECK(wire->ops->progress(wire) == SCT_OK) &&
           CHECK(wire->ops->test(wire, message, &done) == SCT_OK))
        sched_yield();
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    socket_member *self = context;
    int failed = rank_threads_allgather(&self->thread, mine, bytes, all);
    if (self->visit && self->thread.gathers == 2 && self->thread.rank == 0)
        self->visit();
    socket_team_barrier(self);
    return failed;
}

static void *run_rank(void *arg) {
    socket_member *self = arg;
    sct_bootstrap ranks = rank_threads_bootstrap(&self->thread);
    ranks.allgather = gather;
    ranks.context = self;
    sct_wire *wire = NULL;
    self->status = sct_sockets_create(&ranks, &wire);
    CHECK((self->status == SCT_OK) == (wire != NULL));
    if (!wire)
        return NULL;
    CHECK(wire->rank == self->thread.rank && wire->size == SOCKET_RANKS && wire->threaded);
    if (self->body)
        self->body(wire, self);
    wire->ops->close(wire);
    return NULL;
}

void socket_team_run(socket_member like, socket_member members[SOCKET_RANKS]) {
    for (int r = 0; r < SOCKET_RANKS; r++) {
        members[r] = like;
        members[r].thread.fails_at = r == 0 ? like.thread.fails_at : 0;
    }
    rank_threads_run(SOCKET_RANKS, run_rank, members, sizeof *members);
}

void socket_team_run_well(socket_member like) {
    socket_member members[SOCKET_RANKS];
    socket_team_run(like, members);
    for (int r = 0; r < SOCKET_RANKS; r++)
        CHECK_CASE(members[r].status == SCT_OK, "rank %d", r);
}
