/* join.c - how ranks of the threads fabric join and leave.
 *
 * A rank may leave while others still depend on it. It breaks the barrier, so that they learn of it
 * in their next collective call, and it leaves behind the memory that they may be using. */
#include "fabric/bootstrap.h"
#include "fabric/pending.h"
#include "fabric/ranks_per_node.h"
#include "fabric/threads/rank.h"
#include "fabric/threads/segment.h"
#include "fabric/threads/threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Leaving ---- */

void sct_threads_retire(sct_threads *self) {
    if (self->retired)
        return;
    sct_barrier_retire(self->barrier);
    self->retired = true;
}

static bool any_wrapped(const sct_segment *segment) {
    while (segment && segment->memory)
        segment = segment->next;
    return segment != NULL;
}

/* Frees everything, once the last rank has left. */
static void free_all(sct_threads *self) {
    int ranks = self->base.size;
    sct_threads **peers = self->peers;
    sct_barrier_free(self->barrier);
    for (int i = 1; i <= ranks; i++) {
        /* itself last, because it holds the list */
        sct_threads *peer = peers[(self->base.rank + i) % ranks];
        sct_threads_segments_free(peer->segments);
        free(peer);
    }
}

void sct_threads_close(sct_fabric *fabric) {
    sct_threads *self = sct_threads_of(fabric);
    sct_pending_drain(fabric);
    sct_barrier_break(self->barrier, fabric->rank, SCT_HAS_LEFT);
    sct_threads_retire(self);
    if (any_wrapped(self->segments))
        sct_barrier_await_retired(self->barrier);
    if (sct_barrier_leave(self->barrier))
        free_all(self);
}

/* ---- Joining ---- */

/* Frees a rank that no other rank knows. */
static void discard(sct_threads *self) {
    if (!self)
        return;
    if (self->barrier)
        sct_barrier_free(self->barrier);
    free(self);
}

/* NULL if there is not even memory to report why. */
static sct_threads *make(const sct_bootstrap *bootstrap, const sct_world_options *options) {
    int ranks = bootstrap->ranks;
    int per_node = sct_ranks_per_node_asked(options);
    sct_threads *self = calloc(1, sizeof *self + (size_t)ranks * sizeof self->peers[0]);
    if (!self)
        return NULL;
    self->base = (sct_fabric){.ops = &sct_threads_ops,
                              .rank = bootstrap->rank,
                              .size = ranks,
                              .ranks_per_node = per_node > 0 && per_node < ranks ? per_node : ranks,
                              .rules = sct_wait_rules_of(options)};
    atomic_init(&self->sign, SCT_FIRST_SIGN);
    self->base.sign = self->base.rules.seconds > 0 ? &self->sign : NULL;
    if (bootstrap->rank == 0 && sct_barrier_create(ranks, ranks, &self->barrier) != SCT_OK) {
        free(self);
        return NULL;
    }
    return self;
}

/* What ranks gather. */
typedef struct joining {
    sct_threads *rank; /* NULL: there is no memory for it */
    int number;
} joining;

static sct_status gather(const sct_bootstrap *bootstrap, sct_threads *self, joining *all) {
    joining mine = {self, bootstrap->rank};
    return sct_bootstrap_gather(bootstrap, &mine, sizeof mine, all);
}

static sct_status check_joining(int ranks, const joining *all) {
    for (int r = 0; r < ranks; r++) {
        if (all[r].number != r)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "bootstrap: its allgather puts what rank %d passes in place %d",
                            all[r].number, r);
        if (!all[r].rank)
            return sct_fail(SCT_NO_MEMORY, "no memory for the fabric of rank %d", r);
    }
    return SCT_OK;
}

/* Gathers the pointers of all ranks, and then gathers once more. A rank uses the memory of others
 * only after the second gather. Until the first is done it frees its own only if all do; afterwards
 * it leaves as it would leave a complete fabric. So no freed memory is used if a gather fails on
 * all ranks, or the second on some. */
static sct_status exchange_pointers(const sct_bootstrap *bootstrap, sct_threads *self) {
    /* on the stack, because a rank without memory must take part too */
    joining all[SCT_BARRIER_MOST_RANKS];
    sct_status status = gather(bootstrap, self, all);
    if (status == SCT_OK)
        status = check_joining(bootstrap->ranks, all);
    if (status != SCT_OK) {
        discard(self);
        return status;
    }
    assert(self);
    for (int r = 0; r < bootstrap->ranks; r++)
        self->peers[r] = all[r].rank;
    if (bootstrap->rank > 0)
        self->barrier = self->peers[0]->barrier;
    status = gather(bootstrap, self, all);
    if (status != SCT_OK)
        sct_threads_close(&self->base);
    return status;
}

sct_status sct_fabric_threads(const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_fabric **fabric) {
    if (bootstrap->ranks > SCT_BARRIER_MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are too many for threads; at most %d",
                        bootstrap->ranks, SCT_BARRIER_MOST_RANKS);
    sct_threads *self = make(bootstrap, options);
    sct_status status = exchange_pointers(bootstrap, self);
    if (status == SCT_OK)
        *fabric = &self->base;
    return status;
}
