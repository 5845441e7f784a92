/* threads_ranks.c - threads, and a bootstrap for them, that run the rules of fabrics. */
#include "rules/threads_ranks.h"

#include "fabric/threads.h"
#include "rules/fabric_rules.h"
#include "support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct crew {
    int ranks;
    const sct_world_options *options;
    uint64_t seed;
    pthread_barrier_t barrier;
    const void **shown; /* by rank */
} crew;

typedef struct member {
    crew *team;
    int rank;
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
    return 0;
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
        CHECK((peer != NULL) == sct_within_reach(fabric->rank, r, fabric->ranks_per_node));
        CHECK(!peer || *(const int64_t *)peer->base == r);
    }
    fabric->ops->segment_close(segment);
}

static void *run_rank(void *arg) {
    member *self = arg;
    const crew *team = self->team;
    sct_bootstrap bootstrap = {sizeof bootstrap, self->rank, team->ranks, allgather, self};
    sct_fabric *fabric;
    if (!CHECK(sct_fabric_threads(&bootstrap, team->options, &fabric) == SCT_OK))
        return NULL;
    CHECK(fabric->rank == self->rank && fabric->size == team->ranks);
    CHECK(fabric->bytes_got == 0 && fabric->bytes_accumulated == 0);
    int wanted = team->options ? team->options->ranks_per_node : 0;
    bool near = wanted <= 0 || wanted >= team->ranks;
    CHECK(fabric->ranks_per_node == (near ? team->ranks : wanted));
    fabric_rules(fabric, team->seed);
    rule_wrapped_peer(fabric);
    fabric->ops->close(fabric);
    return NULL;
}

void threads_ranks_run(int ranks, const sct_world_options *options, uint64_t seed) {
    crew team = {.ranks = ranks, .options = options, .seed = seed};
    pthread_barrier_init(&team.barrier, NULL, (unsigned)ranks);
    team.shown = malloc((size_t)ranks * sizeof *team.shown);
    member *members = malloc((size_t)ranks * sizeof *members);
    for (int r = 0; r < ranks; r++) {
        members[r] = (member){.team = &team, .rank = r};
        CHECK(pthread_create(&members[r].thread, NULL, run_rank, &members[r]) == 0);
    }
    for (int r = 0; r < ranks; r++)
        pthread_join(members[r].thread, NULL);
    pthread_barrier_destroy(&team.barrier);
    free(team.shown);
    free(members);
}
