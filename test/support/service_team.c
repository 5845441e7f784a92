/* service_team.c - threads with a barrier at which their services keep answering. */
#include "support/service_team.h"

#include "fabric/sockets/sockets.h"
#include "support/check.h"

#include <sched.h>
#include <stdatomic.h>

typedef struct team_barrier_state {
    atomic_int arrived, generation;
} team_barrier_state;

void team_barrier(team_rank *self) {
    team_barrier_state *state = self->team->state;
    int generation = atomic_load(&state->generation);
    if (atomic_fetch_add(&state->arrived, 1) + 1 == self->team->ranks) {
        atomic_store(&state->arrived, 0);
        atomic_fetch_add(&state->generation, 1);
        return;
    }
    while (atomic_load(&state->generation) == generation) {
        if (!sct_service_has_thread(self->service))
            sct_service_progress(self->service);
        sched_yield();
    }
}

static sct_wire *open_wire(team_rank *self) {
    if (!self->team->sockets)
        return wires_open(self->team->wires, self->rank);
    sct_bootstrap ranks = rank_threads_bootstrap(&self->thread);
    sct_wire *wire = NULL;
    CHECK_CASE(sct_sockets_create(&ranks, &wire) == SCT_OK, "%s", sct_last_reason());
    return wire;
}

static void *run_rank(void *arg) {
    team_rank *self = arg;
    sct_wire *wire = open_wire(self);
    if (wire && CHECK(sct_service_create(wire, &self->service) == SCT_OK)) {
        self->team->body(self);
        team_barrier(self);
        sct_service_destroy(self->service);
    }
    return NULL;
}

void team_run(team *all) {
    team_rank members[RANK_THREADS_MOST];
    team_barrier_state state = {0, 0};
    all->state = &state;
    all->wires = wires_new(all->ranks, all->most_bytes, all->threaded, all->delay, all->seed);
    if (all->may_break)
        wires_break(all->wires, 0, 0, false);
    for (int r = 0; r < all->ranks; r++)
        members[r] = (team_rank){.team = all, .rank = r, .random = all->seed * 100 + (uint64_t)r};
    rank_threads_run(all->ranks, run_rank, members, sizeof *members);
    wires_free(all->wires);
}
