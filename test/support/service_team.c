/* service_team.c - threads that meet, and whose services answer while they wait for it. */
#include "support/service_team.h"

#include "fabric/sockets/sockets.h"
#include "support/check.h"
#include "support/gathering.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct team_meeting {
    atomic_int arrived, generation;
} team_meeting;

void team_meet(team_rank *self) {
    team_meeting *collective = self->team->collective;
    int generation = atomic_load(&collective->generation);
    if (atomic_fetch_add(&collective->arrived, 1) + 1 == self->team->ranks) {
        atomic_store(&collective->arrived, 0);
        atomic_fetch_add(&collective->generation, 1);
        return;
    }
    while (atomic_load(&collective->generation) == generation) {
        if (!sct_service_has_thread(self->service))
            sct_service_progress(self->service);
        sched_yield();
    }
}

static sct_wire *open_wire(const team_rank *self) {
    if (!self->team->sockets)
        return wires_open(self->team->wires, self->rank);
    gatherer mine = {self->team->gathering, self->rank};
    sct_bootstrap ranks = gathering_bootstrap(&mine);
    sct_wire *wire = NULL;
    CHECK_CASE(sct_sockets_create(&ranks, &wire) == SCT_OK, "%s", sct_last_reason());
    return wire;
}

static void *run_rank(void *arg) {
    team_rank *self = arg;
    sct_wire *wire = open_wire(self);
    if (wire && CHECK(sct_service_create(wire, &self->service) == SCT_OK)) {
        self->team->body(self);
        team_meet(self);
        sct_service_destroy(self->service);
    }
    return NULL;
}

void team_run(team *all) {
    enum { MOST_RANKS = 8 };
    team_rank members[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    team_meeting collective = {0, 0};
    gathering together;
    gathering_begin(&together, all->ranks);
    all->gathering = &together;
    all->collective = &collective;
    all->wires = wires_new(all->ranks, all->most_bytes, all->threaded, all->delay, all->seed);
    if (all->may_break)
        wires_break(all->wires, 0, 0, false);
    for (int r = 0; r < all->ranks; r++) {
        members[r] = (team_rank){all, r, all->seed * 100 + (uint64_t)r, NULL};
        CHECK(pthread_create(&threads[r], NULL, run_rank, &members[r]) == 0);
    }
    for (int r = 0; r < all->ranks; r++)
        pthread_join(threads[r], NULL);
    wires_free(all->wires);
    gathering_end(&together);
}
