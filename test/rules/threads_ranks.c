/* threads_ranks.c - threads, and a bootstrap for them, which can be told to fail. */
#include "rules/threads_ranks.h"

#include "fabric/threads/threads.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct crew {
    int ranks;
    const sct_world_options *options;
    rank_function *function;
    void *context;
    int failing, who; /* the gather that fails (-1: none), and where */
    sct_status *status;
    pthread_barrier_t barrier;
    const void **shown; /* by rank */
} crew;

typedef struct member {
    crew *team;
    int rank, gathers;
    pthread_t thread;
} member;

static int allgather(void *context, const void *mine, size_t bytes, void *all) {
    member *self = context;
    crew *team = self->team;
    team->shown[self->rank] = mine;
    pthread_barrier_wait(&team->barrier);
    for (int r = 0; r < team->ranks; r++)
        memcpy((char *)all + (size_t)r * bytes, team->shown[r], bytes);
    pthread_barrier_wait(&team->barrier);
    return self->gathers++ == team->failing && (team->who < 0 || team->who == self->rank);
}

/* Pointers to wrapped memory are a promise of threads alone. */
static void rule_wrapped_peer(sct_fabric *fabric) {
    int64_t mine[] = {fabric->rank, -1};
    sct_memory block = {(char *)mine, sizeof mine, 1, sizeof mine[0]};
    sct_segment *segment;
    if (!CHECK(fabric->ops->segment_wrap(fabric, 1, &block, &segment) == SCT_OK))
        return;
    for (int r = 0; r < fabric->size; r++) {
        const sct_memory *peer = fabric->ops->peer(segment, r);
        CHECK((peer != NULL) == sct_is_near(fabric->rank, r, fabric->wrapped_per_node));
        CHECK(!peer || *(const int64_t *)peer->base == r);
    }
    fabric->ops->segment_close(segment);
}

static void *run_rank(void *arg) {
    member *self = arg;
    const crew *team = self->team;
    sct_bootstrap bootstrap = {sizeof bootstrap, self->rank, team->ranks, allgather, self};
    sct_fabric *fabric;
    sct_status status = sct_fabric_threads(&bootstrap, team->options, &fabric);
    team->status[self->rank] = status;
    if (status == SCT_OK)
        team->function(fabric, team->context);
    return NULL;
}

static void run_crew(crew *team) {
    pthread_barrier_init(&team->barrier, NULL, (unsigned)team->ranks);
    team->shown = malloc((size_t)team->ranks * sizeof *team->shown);
    member *members = malloc((size_t)team->ranks * sizeof *members);
    for (int r = 0; r < team->ranks; r++) {
        members[r] = (member){.team = team, .rank = r};
        CHECK(pthread_create(&members[r].thread, NULL, run_rank, &members[r]) == 0);
    }
    for (int r = 0; r < team->ranks; r++)
        pthread_join(members[r].thread, NULL);
    pthread_barrier_destroy(&team->barrier);
    free(team->shown);
    free(members);
}

void threads_ranks_each(int ranks, const sct_world_options *options, rank_function *function,
                        void *context) {
    sct_status *status = malloc((size_t)ranks * sizeof *status);
    crew team = {.ranks = ranks,
                 .options = options,
                 .function = function,
                 .context = context,
                 .failing = -1,
                 .status = status};
    run_crew(&team);
    for (int r = 0; r < ranks; r++)
        CHECK(status[r] == SCT_OK);
    free(status);
}

/* ---- All rules ---- */

typedef struct rules {
    const sct_world_options *options;
    uint64_t seed;
} rules;

static void run_rules(sct_fabric *fabric, void *context) {
    const rules *r = context;
    CHECK(fabric->bytes_got == 0 && fabric->bytes_accumulated == 0);
    int wanted = r->options ? r->options->ranks_per_node : 0;
    bool near = wanted <= 0 || wanted >= fabric->size;
    CHECK(fabric->ranks_per_node == (near ? fabric->size : wanted));
    bool apart = r->options && r->options->wrapped_apart && fabric->size > 1;
    CHECK(fabric->wrapped_per_node == (apart ? 1 : fabric->ranks_per_node));
    fabric_rules(fabric, r->seed);
    rule_wrapped_peer(fabric);
    fabric->ops->close(fabric);
}

void threads_ranks_run(int ranks, const sct_world_options *options, uint64_t seed) {
    rules context = {options, seed};
    threads_ranks_each(ranks, options, run_rules, &context);
}

/* ---- An allgather that fails ---- */

static void meet_once(sct_fabric *fabric, void *context) {
    sct_status *met = context;
    met[fabric->rank] = fabric->ops->barrier(fabric);
    fabric->ops->close(fabric);
}

void threads_ranks_refuse(int ranks, const sct_world_options *options, int failing, int who,
                          sct_status *status) {
    sct_status *made = malloc((size_t)ranks * sizeof *made);
    for (int r = 0; r < ranks; r++)
        status[r] = SCT_OK;
    crew team = {.ranks = ranks,
                 .options = options,
                 .function = meet_once,
                 .context = status,
                 .failing = failing,
                 .who = who,
                 .status = made};
    run_crew(&team);
    for (int r = 0; r < ranks; r++)
        status[r] = made[r] != SCT_OK ? made[r] : status[r];
    free(made);
}
