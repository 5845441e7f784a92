/* socket_team.c - see socket_team.h. */
#include "support/socket_team.h"

#include "support/check.h"

#include <sched.h>

void socket_team_meet(socket_member *self) {
    pthread_barrier_wait(&self->place.all->barrier);
}

void socket_await(sct_wire *wire, sct_message message) {
    bool done = false;
    while (!done && CHECK(wire->ops->progress(wire) == SCT_OK) &&
           CHECK(wire->ops->test(wire, message, &done) == SCT_OK))
        sched_yield();
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    socket_member *self = context;
    gathering_allgather(&self->place, mine, bytes, all);
    self->gathers++;
    if (self->visit && self->gathers == 1 && self->place.rank == 0)
        self->visit();
    socket_team_meet(self);
    return self->place.rank == 0 && self->gathers == self->fails;
}

static void *run_rank(void *arg) {
    socket_member *self = arg;
    sct_bootstrap ranks = gathering_bootstrap(&self->place);
    ranks.allgather = gather;
    ranks.context = self;
    sct_wire *wire = NULL;
    self->status = sct_sockets_create(&ranks, &wire);
    CHECK((self->status == SCT_OK) == (wire != NULL));
    if (!wire)
        return NULL;
    CHECK(wire->rank == self->place.rank && wire->size == SOCKET_RANKS && wire->threaded);
    if (self->body)
        self->body(wire, self);
    wire->ops->close(wire);
    return NULL;
}

void socket_team_run(socket_member like, socket_member members[SOCKET_RANKS]) {
    gathering all;
    pthread_t threads[SOCKET_RANKS];
    gathering_begin(&all, SOCKET_RANKS);
    for (int r = 0; r < SOCKET_RANKS; r++) {
        members[r] = like;
        members[r].place = (gatherer){&all, r};
        CHECK(pthread_create(&threads[r], NULL, run_rank, &members[r]) == 0);
    }
    for (int r = 0; r < SOCKET_RANKS; r++)
        pthread_join(threads[r], NULL);
    gathering_end(&all);
}

void socket_team_run_well(socket_member like) {
    socket_member members[SOCKET_RANKS];
    socket_team_run(like, members);
    for (int r = 0; r < SOCKET_RANKS; r++)
        CHECK_CASE(members[r].status == SCT_OK, "rank %d", r);
}
