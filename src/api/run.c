/* run.c - sct_run: a world on threads of its own. */
#include "base/status.h"
#include "base/thread.h"
#include "fabric/barrier.h"

#include <sectile/sectile.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LITTLE = 64 };

typedef struct run_team {
    int ranks;
    const sct_world_options *options;
    sct_main *fn;
    void *arg;
    pthread_barrier_t barrier;
    /* By rank, during a gather: what little there is, one after another, otherwise where it is. To
     * read from the stacks of thousands of threads would take far longer. */
    union {
        char *little;
        const void **offered;
    };
    pthread_mutex_t lock;
    pthread_cond_t opened;
    enum { GATE_SHUT, GATE_OPEN, GATE_CANCELLED } gate; /* shut until all threads exist */
} run_team;

typedef struct run_member {
    run_team *team;
    pthread_t thread;
    int rank;
    sct_status status;
    char reason[SCT_REASON_BYTES];
} run_member;

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    const run_member *self = context;
    run_team *team = self->team;
    bool little = bytes <= LITTLE;
    if (little)
        memcpy(team->little + (size_t)self->rank * bytes, mine, bytes);
    else
        team->offered[self->rank] = mine;
    pthread_barrier_wait(&team->barrier);
    if (little)
        memcpy(all, team->little, (size_t)team->ranks * bytes);
    for (int r = 0; r < team->ranks && !little; r++)
        memcpy((char *)all + (size_t)r * bytes, team->offered[r], bytes);
    pthread_barrier_wait(&team->barrier);
    return 0;
}

static bool pass_gate(run_team *team) {
    pthread_mutex_lock(&team->lock);
    while (team->gate == GATE_SHUT)
        pthread_cond_wait(&team->opened, &team->lock);
    bool go = team->gate == GATE_OPEN;
    pthread_mutex_unlock(&team->lock);
    return go;
}

static void set_gate(run_team *team, bool go) {
    pthread_mutex_lock(&team->lock);
    team->gate = go ? GATE_OPEN : GATE_CANCELLED;
    pthread_cond_broadcast(&team->opened);
    pthread_mutex_unlock(&team->lock);
}

static sct_status serve(run_member *self) {
    sct_bootstrap bootstrap = {.size = sizeof bootstrap,
                               .rank = self->rank,
                               .ranks = self->team->ranks,
                               .allgather = gather,
                               .context = self};
    sct_world *world;
    sct_status status = sct_world_create(&bootstrap, self->team->options, &world);
    if (status)
        return status;
    int code = self->team->fn(world, self->team->arg);
    sct_world_destroy(world);
    return code ? sct_fail(SCT_FAILED, "rank %d returned %d", self->rank, code) : SCT_OK;
}

static void *member_main(void *arg) {
    run_member *self = arg;
    if (!pass_gate(self->team))
        return NULL;
    self->status = serve(self);
    if (self->status)
        snprintf(self->reason, sizeof self->reason, "%s", sct_last_reason());
    return NULL;
}

/* Starts all threads or none; returns the failure of the lowest rank. */
static sct_status run_members(run_team *team, run_member *members) {
    int started = 0;
    for (; started < team->ranks; started++) {
        members[started] = (run_member){.team = team, .rank = started};
        if (sct_thread_create(&members[started].thread, member_main, &members[started]))
            break;
    }
    set_gate(team, started == team->ranks);
    for (int r = 0; r < started; r++)
        pthread_join(members[r].thread, NULL);
    if (started < team->ranks)
        return sct_fail(SCT_FAILED, "only %d of %d threads could be started", started, team->ranks);
    for (int r = 0; r < team->ranks; r++)
        if (members[r].status)
            return sct_fail(members[r].status, "%s", members[r].reason);
    return SCT_OK;
}

sct_status sct_run(int ranks, const sct_world_options *options, sct_main *fn, void *arg) {
    if (ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not at least 1", ranks);
    if (ranks > SCT_BARRIER_MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are too many for threads; at most %d", ranks,
                        SCT_BARRIER_MOST_RANKS);
    if (!fn)
        return sct_fail(SCT_BAD_ARGUMENT, "the function to run is NULL");
    run_team team = {.ranks = ranks, .options = options, .fn = fn, .arg = arg};
    run_member *members = calloc((size_t)ranks, sizeof *members);
    team.offered = calloc((size_t)ranks, LITTLE);
    sct_status status =
        members && team.offered ? SCT_OK : sct_fail(SCT_NO_MEMORY, "no memory for %d ranks", ranks);
    if (!status) {
        pthread_barrier_init(&team.barrier, NULL, (unsigned)ranks);
        pthread_mutex_init(&team.lock, NULL);
        pthread_cond_init(&team.opened, NULL);
        status = run_members(&team, members);
        pthread_cond_destroy(&team.opened);
        pthread_mutex_destroy(&team.lock);
        pthread_barrier_destroy(&team.barrier);
    }
    free(team.offered);
    free(members);
    return status;
}
