/* team.c - the ranks of a world that live in this process, directed by one caller. */
#include "bell.h"
#include "team_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = 1024, MOST_DROPPED = 64 };

struct member {
    struct team *team;
    int index;
    pthread_t thread; /* not of the first member, which is the caller */
    sct_world *world;
    sct_status status;
    char reason[REASON_BYTES];
};

struct team {
    int members, threads;
    struct bell call, reply; /* reply: rung by the last member that completes a call */
    team_work *work;         /* NULL: the threads end */
    void *arg;
    atomic_int busy;
    char reason[REASON_BYTES];
    int drops;
    sct_matrix **dropped;     /* MOST_DROPPED times the handles of all members */
    pthread_barrier_t gather; /* for the bootstrap of a world */
    const void **offered;
    struct member member[];
};

static void do_work(struct member *self) {
    const struct team *team = self->team;
    for (int i = 0; i < team->drops; i++)
        sct_matrix_destroy(team->dropped[i * team->members + self->index]);
    self->status = team->work(self->world, self->index, team->arg);
    if (self->status)
        snprintf(self->reason, sizeof self->reason, "%s", sct_last_reason());
}

static void *member_main(void *arg) {
    struct member *self = arg;
    struct team *team = self->team;
    for (unsigned call = 0;; call++) {
        bell_wait(&team->call, call);
        if (!team->work)
            return NULL;
        do_work(self);
        if (atomic_fetch_sub(&team->busy, 1) == 1)
            bell_ring(&team->reply);
    }
}

sct_status team_call(struct team *team, team_work *work, void *arg) {
    unsigned replies = atomic_load(&team->reply.count);
    team->work = work;
    team->arg = arg;
    if (team->threads > 0) {
        atomic_store(&team->busy, team->threads);
        bell_ring(&team->call);
    }
    do_work(&team->member[0]);
    if (team->threads > 0)
        bell_wait(&team->reply, replies);
    team->drops = 0;
    for (int i = 0; i < team->members; i++)
        if (team->member[i].status) {
            memcpy(team->reason, team->member[i].reason, sizeof team->reason);
            return team->member[i].status;
        }
    return SCT_OK;
}

static sct_status do_nothing(sct_world *world, int index, void *arg) {
    (void)world;
    (void)index;
    (void)arg;
    return SCT_OK;
}

void team_flush(struct team *team) {
    team_call(team, do_nothing, NULL);
}

void team_drop(struct team *team, sct_matrix *const *matrix) {
    if (team->drops == MOST_DROPPED)
        team_flush(team);
    memcpy(&team->dropped[team->drops++ * team->members], matrix,
           (size_t)team->members * sizeof *matrix);
}

struct team *team_new(int members) {
    struct team *made = calloc(1, sizeof *made + (size_t)members * sizeof made->member[0]);
    sct_matrix **dropped = calloc((size_t)members * MOST_DROPPED, sizeof *dropped);
    if (!made || !dropped) {
        free(made);
        free(dropped);
        return NULL;
    }
    made->dropped = dropped;
    made->members = members;
    bell_init(&made->call, members);
    bell_init(&made->reply, members);
    for (int i = 0; i < members; i++) {
        made->member[i].team = made;
        made->member[i].index = i;
    }
    return made;
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    const struct member *self = context;
    struct team *team = self->team;
    team->offered[self->index] = mine;
    pthread_barrier_wait(&team->gather);
    for (int i = 0; i < team->members; i++)
        memcpy((char *)all + (size_t)i * bytes, team->offered[i], bytes);
    pthread_barrier_wait(&team->gather);
    return 0;
}

struct opening {
    struct team *team;
    const sct_world_options *options;
};

static sct_status open_world(sct_world *none, int index, void *arg) {
    const struct opening *opening = arg;
    struct member *self = &opening->team->member[index];
    (void)none;
    sct_bootstrap bootstrap = {.size = sizeof bootstrap,
                               .rank = index,
                               .ranks = opening->team->members,
                               .allgather = gather,
                               .context = self};
    return sct_world_create(&bootstrap, opening->options, &self->world);
}

static sct_status close_world(sct_world *world, int index, void *arg) {
    (void)index;
    (void)arg;
    sct_world_destroy(world);
    return SCT_OK;
}

/* Starts a thread for each member but the first. */
static sct_status start_threads(struct team *team) {
    for (; team->threads < team->members - 1; team->threads++) {
        struct member *next = &team->member[team->threads + 1];
        if (pthread_create(&next->thread, NULL, member_main, next)) {
            snprintf(team->reason, sizeof team->reason, "only %d of %d threads could be started",
                     team->threads, team->members - 1);
            return SCT_FAILED;
        }
    }
    return SCT_OK;
}

sct_status team_open(struct team *team, const sct_world_options *options) {
    sct_status status = start_threads(team);
    if (status)
        return status;
    team->offered = calloc((size_t)team->members, sizeof *team->offered);
    if (!team->offered) {
        snprintf(team->reason, sizeof team->reason, "no memory for %d ranks", team->members);
        return SCT_NO_MEMORY;
    }
    struct opening opening = {team, options};
    pthread_barrier_init(&team->gather, NULL, (unsigned)team->members);
    status = team_call(team, open_world, &opening);
    pthread_barrier_destroy(&team->gather);
    free(team->offered);
    return status;
}

void team_adopt(struct team *team, sct_world *world) {
    team->member[0].world = world;
}

void team_free(struct team *team) {
    if (team->member[0].world)
        team_call(team, close_world, NULL);
    team->work = NULL;
    bell_ring(&team->call);
    for (int i = 1; i <= team->threads; i++)
        pthread_join(team->member[i].thread, NULL);
    bell_destroy(&team->call);
    bell_destroy(&team->reply);
    free(team->dropped);
    free(team);
}

sct_world *team_world(const struct team *team, int member) {
    return team->member[member].world;
}

const char *team_reason(const struct team *team) {
    return team->reason;
}
