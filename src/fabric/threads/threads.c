/* threads.c - the fabric of ranks that are threads of one process: how they join and leave,
 * collective calls and transfers.
 *
 * A rank may leave while others still depend on it. It breaks the barrier, so that they learn of
 * it in their next collective call, and it leaves behind the memory that they may be using.
 *
 * All memory is addressable. Ranks that the options declare far get no pointers to it: their
 * transfers are counted, and run at once, as those of near ranks are. */
#include "fabric/threads/threads.h"

#include "fabric/bootstrap.h"
#include "fabric/machine.h"
#include "fabric/pending.h"
#include "fabric/threads/rank.h"
#include "fabric/threads/segment.h"

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

static void threads_close(sct_fabric *fabric) {
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

static void clear(sct_merged *merged) {
    atomic_store(&merged->least_payload, UINT64_MAX);
    atomic_store(&merged->least_complement, UINT64_MAX);
    for (int i = 0; i < SCT_MERGED; i++)
        atomic_store(&merged->words[i], UINT64_MAX);
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
    for (int i = 0; i < SCT_MERGED_SETS; i++)
        clear(&self->merged[i]);
    self->base.sign = self->base.rules.seconds > 0 ? &self->sign : NULL;
    if (bootstrap->rank == 0 && sct_barrier_create(ranks, ranks, &self->barrier) != SCT_OK) {
        free(self);
        return NULL;
    }
    return self;
}

/* What ranks gather. */
typedef struct joining {
    sct_threads *rank;
    int number;
} joining;

static sct_status gather(const sct_bootstrap *bootstrap, sct_threads *self, joining *all) {
    joining mine = {self, bootstrap->rank};
    return sct_bootstrap_gather(bootstrap, &mine, sizeof mine, all);
}

static sct_status check_joining(int ranks, const joining *all) {
    for (int r = 0; r < ranks; r++)
        if (all[r].number != r)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "bootstrap: its allgather puts what rank %d passes in place %d",
                            all[r].number, r);
    return SCT_OK;
}

/* Gathers the pointers of all ranks, if all have memory, and then gathers them once more. A rank
 * uses the memory of others only after the last gather. Before it a rank frees its own only if all
 * do; afterwards it leaves as it would leave a complete fabric. So no freed memory is used if a
 * gather fails on all ranks, or the last on some. */
static sct_status exchange_pointers(const sct_bootstrap *bootstrap, sct_threads *self,
                                    joining *all) {
    sct_status status = sct_bootstrap_all_have(bootstrap, self && all, "the fabric");
    if (status == SCT_OK)
        status = gather(bootstrap, self, all);
    if (status == SCT_OK)
        status = check_joining(bootstrap->ranks, all);
    if (status != SCT_OK) {
        discard(self);
        return status;
    }
    assert(self && all);
    for (int r = 0; r < bootstrap->ranks; r++)
        self->peers[r] = all[r].rank;
    if (bootstrap->rank > 0)
        self->barrier = self->peers[0]->barrier;
    status = gather(bootstrap, self, all);
    if (status != SCT_OK)
        threads_close(&self->base);
    return status;
}

sct_status sct_fabric_threads(const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_fabric **fabric) {
    if (bootstrap->ranks > SCT_BARRIER_MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are too many for threads; at most %d",
                        bootstrap->ranks, SCT_BARRIER_MOST_RANKS);
    sct_threads *self = make(bootstrap, options);
    joining *all = malloc((size_t)bootstrap->ranks * sizeof *all);
    sct_status status = exchange_pointers(bootstrap, self, all);
    free(all);
    if (status == SCT_OK)
        *fabric = &self->base;
    return status;
}

/* ---- Transfers ---- */

static const sct_memory *block_of(const sct_target *target) {
    const sct_segment *segment = target->segment->peers[target->rank];
    assert(target->block >= 0 && target->block < segment->count);
    return &segment->blocks[target->block];
}

static sct_status threads_check(sct_fabric *fabric) {
    sct_barrier *barrier = sct_threads_of(fabric)->barrier;
    return sct_barrier_broken(barrier) ? sct_barrier_failure(barrier) : SCT_OK;
}

static sct_status threads_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                              void *to, size_t pitch, sct_event *reached) {
    sct_transfer transfer = sct_transfer_get(block_of(from), &from->part, to, pitch);
    (void)fabric;
    (void)stream;
    (void)reached;
    sct_transfer_run(&transfer);
    return SCT_OK;
}

static sct_status threads_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                     const void *from, size_t pitch, const sct_target *to,
                                     sct_event *reached) {
    const sct_memory *block = block_of(to);
    sct_bands *bands = &to->segment->peers[to->rank]->bands[to->block];
    sct_transfer transfer =
        sct_transfer_accumulate(block, bands, &to->part, type, from, pitch, fabric->rank);
    assert(pitch % sct_type_bytes(type) == 0 && block->pitch % sct_type_bytes(type) == 0);
    assert(to->part.width % sct_type_bytes(type) == 0);
    assert((uintptr_t)transfer.to % sct_type_bytes(sct_type_part(type)) == 0);
    (void)stream;
    (void)reached;
    sct_transfer_run(&transfer);
    return SCT_OK;
}

/* ---- Collective calls ---- */

typedef struct waiting_rank {
    sct_threads *self;
    sct_suspect suspect;
} waiting_rank;

static void watch(void *context) {
    waiting_rank *waiting = context;
    sct_threads *self = waiting->self;
    int seconds = self->base.rules.seconds;
    if (sct_wait_is_interrupted(&self->base.rules))
        sct_barrier_break(self->barrier, self->base.rank, SCT_INTERRUPTED);
    for (int r = 0; r < self->base.size && seconds > 0; r++) {
        unsigned sign = atomic_load(&self->peers[r]->sign);
        if (sct_suspect_note(&waiting->suspect, r, !sct_sign_is_inside(sign), sign, seconds))
            sct_barrier_break(self->barrier, r, seconds);
    }
}

static sct_status wait_for_all(sct_threads *self, sct_barrier_call call,
                               const sct_wait_hook *hook) {
    return sct_barrier_wait(self->barrier, call, hook) ? SCT_OK
                                                       : sct_barrier_failure(self->barrier);
}

sct_status sct_threads_meet(sct_threads *self, sct_barrier_call call) {
    waiting_rank waiting = {self, sct_suspect_nobody()};
    sct_wait_hook hook = {.context = &waiting, .watch = watch};
    return wait_for_all(self, call, sct_wait_is_ruled(&self->base.rules) ? &hook : NULL);
}

static sct_status threads_barrier(sct_fabric *fabric) {
    return sct_threads_meet(sct_threads_of(fabric), SCT_TO_MEET);
}

static void merge(sct_reduction how, atomic_uint_fast64_t *into, uint64_t word) {
    uint_fast64_t seen = atomic_load(into);
    if (how == SCT_ANY_BIT && seen & word)
        atomic_fetch_and(into, ~word);
    while (how == SCT_LEAST && word < seen && !atomic_compare_exchange_weak(into, &seen, word))
        continue;
}

static sct_merged *merged_of(const sct_threads *self, uint64_t turn) {
    return &self->peers[0]->merged[turn % SCT_MERGED_SETS];
}

/* Meets all other ranks, and compares payloads: all ranks get the same answer.
 *
 * Calls use three sets of words in turn. When all ranks have met in a call, they have read the
 * words of the call before, whose set rank 0 then clears; it is used again after they have met once
 * more. */
static sct_status meet_with(sct_threads *self, uint64_t payload, sct_merged *merged) {
    merge(SCT_LEAST, &merged->least_payload, payload);
    merge(SCT_LEAST, &merged->least_complement, ~payload);
    sct_status status = sct_threads_meet(self, SCT_TO_EXCHANGE);
    if (status != SCT_OK)
        return status;
    if (self->base.rank == 0)
        clear(merged_of(self, self->turn + SCT_MERGED_SETS - 1));
    self->turn++;
    if (atomic_load(&merged->least_payload) == ~atomic_load(&merged->least_complement))
        return SCT_OK;
    sct_barrier_disagree(self->barrier);
    return sct_barrier_failure(self->barrier);
}

/* Calls show what they exchange in two places alternately. Before a rank overwrites one, it has met
 * all others in the call that used the other; to get there, they had to finish reading. So little
 * that is exchanged, which is copied, needs only one rendezvous. */
static sct_status threads_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    sct_threads *self = sct_threads_of(fabric);
    uint64_t place = self->turn % 2;
    bool small = bytes <= SCT_SHOWN;
    /* others may still be reading there if the barrier broke */
    if (sct_barrier_broken(self->barrier))
        return sct_barrier_failure(self->barrier);
    self->shown[place].large = mine;
    if (small)
        memcpy(self->shown[place].copy, mine, bytes);
    sct_status status = meet_with(self, sct_exchanged_payload(bytes), merged_of(self, self->turn));
    if (status != SCT_OK)
        return status;
    for (int r = 0; r < fabric->size; r++) {
        const sct_shown *shown = &self->peers[r]->shown[place];
        memcpy((char *)all + (size_t)r * bytes, small ? shown->copy : shown->large, bytes);
    }
    /* nobody gives up here, since others may be reading what it shows */
    return small ? SCT_OK : wait_for_all(self, SCT_TO_EXCHANGE, NULL);
}

static sct_status threads_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words,
                                 size_t count) {
    sct_threads *self = sct_threads_of(fabric);
    sct_status status = SCT_OK;
    for (size_t from = 0; from < count && !status; from += SCT_MERGED) {
        size_t some = count - from < SCT_MERGED ? count - from : SCT_MERGED;
        sct_merged *merged = merged_of(self, self->turn);
        for (size_t i = 0; i < some; i++)
            merge(how, &merged->words[i], words[from + i]);
        status = meet_with(self, sct_reduced_payload(how, count), merged);
        for (size_t i = 0; i < some && !status; i++) {
            uint64_t word = atomic_load(&merged->words[i]);
            words[from + i] = how == SCT_ANY_BIT ? ~word : word;
        }
    }
    return status;
}

const sct_fabric_ops sct_threads_ops = {
    .name = "threads",
    .close = threads_close,
    .segment_open = sct_threads_segment_open,
    .segment_wrap = sct_threads_segment_wrap,
    .segment_close = sct_threads_segment_close,
    .peer = sct_threads_segment_peer,
    .per_node = sct_threads_segment_per_node,
    .check = threads_check,
    .get = threads_get,
    .accumulate = threads_accumulate,
    .order = sct_fabric_order_by_waiting,
    .barrier = threads_barrier,
    .exchange = threads_exchange,
    .reduce = threads_reduce,
    .progress = sct_pending_progress,
};
