/* threads.c - the fabric of ranks that are threads of one process: collective calls and transfers.
 *
 * All memory is addressable. Ranks that the options declare far get no pointers to it: their
 * transfers are counted, and run at once, as those of near ranks are. */
#include "fabric/pending.h"
#include "fabric/threads/rank.h"
#include "fabric/threads/segment.h"

#include <assert.h>
#include <string.h>

/* ---- Transfers ---- */

static const sct_memory *block_of(const sct_target *target) {
    const sct_segment *segment = target->segment->peers[target->rank];
    assert(target->block >= 0 && target->block < segment->count);
    return &segment->blocks[target->block];
}

static bool is_near(const sct_target *target) {
    return sct_threads_segment_peer(target->segment, target->rank) != NULL;
}

static sct_status move(sct_fabric *fabric, const sct_transfer *transfer) {
    sct_threads *self = sct_threads_of(fabric);
    if (sct_barrier_broken(self->barrier))
        return sct_barrier_failure(self->barrier);
    sct_transfer_run(transfer);
    return SCT_OK;
}

static sct_status threads_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                              void *to, size_t pitch, sct_event *reached) {
    sct_event after = sct_fabric_after(fabric, stream);
    *reached = (sct_event){.ops = NULL};
    if (sct_target_is_empty(from))
        return SCT_OK;
    if (!sct_event_done(after))
        return sct_pending_get(fabric, after, from, to, pitch, reached);
    sct_transfer transfer = sct_transfer_get(block_of(from), from, to, pitch);
    sct_status status = sct_event_wait(after);
    if (status == SCT_OK)
        status = move(fabric, &transfer);
    if (status == SCT_OK && !is_near(from))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return status;
}

static sct_status threads_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                     const void *from, size_t pitch, const sct_target *to,
                                     sct_event *reached) {
    sct_event after = sct_fabric_after(fabric, stream);
    *reached = (sct_event){.ops = NULL};
    if (sct_target_is_empty(to))
        return SCT_OK;
    if (!sct_event_done(after))
        return sct_pending_accumulate(fabric, after, type, from, pitch, to, reached);
    const sct_memory *block = block_of(to);
    sct_bands *bands = &to->segment->peers[to->rank]->bands[to->block];
    sct_transfer transfer =
        sct_transfer_accumulate(block, bands, to, type, from, pitch, fabric->rank);
    assert(pitch % sct_type_bytes(type) == 0 && block->pitch % sct_type_bytes(type) == 0);
    assert(to->width % sct_type_bytes(type) == 0);
    assert((uintptr_t)transfer.to % sct_type_bytes(sct_type_part(type)) == 0);
    sct_status status = sct_event_wait(after);
    if (status == SCT_OK)
        status = move(fabric, &transfer);
    if (status == SCT_OK && to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
    return status;
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

/* All ranks get the same answer. */
static bool all_show(const sct_threads *self, int turn, uint64_t payload) {
    for (int r = 0; r < self->base.size; r++) {
        if (self->peers[r]->shown[turn].payload != payload)
            return false;
    }
    return true;
}

/* Shows a payload to the others, who have then shown theirs in `shown[*turn]`.
 *
 * Calls use two sets of payloads alternately. Before a rank overwrites its payload of one set, it
 * has met all others in the call that used the other set; to get there, they had to finish reading.
 * So small payloads, which are copied, need only one rendezvous. */
static sct_status show(sct_threads *self, uint64_t payload, const void *mine, size_t bytes,
                       int *turn) {
    *turn = self->turn;
    /* others may still be reading the payload if the barrier broke */
    if (sct_barrier_broken(self->barrier))
        return sct_barrier_failure(self->barrier);
    sct_shown *shown = &self->shown[*turn];
    self->turn = !*turn;
    shown->payload = payload;
    shown->large = mine;
    if (bytes <= SCT_SHOWN)
        memcpy(shown->copy, mine, bytes);
    sct_status status = sct_threads_meet(self, SCT_TO_EXCHANGE);
    if (status != SCT_OK)
        return status;
    if (all_show(self, *turn, payload))
        return SCT_OK;
    sct_barrier_disagree(self->barrier);
    return sct_barrier_failure(self->barrier);
}

static sct_status threads_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    sct_threads *self = sct_threads_of(fabric);
    int turn;
    bool small = bytes <= SCT_SHOWN;
    sct_status status = show(self, sct_exchanged_payload(bytes), mine, bytes, &turn);
    if (status != SCT_OK)
        return status;
    for (int r = 0; r < fabric->size; r++) {
        const sct_shown *shown = &self->peers[r]->shown[turn];
        memcpy((char *)all + (size_t)r * bytes, small ? shown->copy : shown->large, bytes);
    }
    /* nobody gives up here, since others may be reading its payload */
    return small ? SCT_OK : wait_for_all(self, SCT_TO_EXCHANGE, NULL);
}

static sct_status threads_reduce(sct_fabric *fabric, sct_reduction how, uint64_t *words,
                                 size_t count) {
    enum { MOST = SCT_SHOWN / sizeof(uint64_t) };
    sct_threads *self = sct_threads_of(fabric);
    sct_status status = SCT_OK;
    for (size_t from = 0; from < count && !status; from += MOST) {
        size_t some = count - from < MOST ? count - from : MOST;
        int turn;
        status =
            show(self, sct_reduced_payload(how, count), words + from, some * sizeof *words, &turn);
        for (int r = 0; r < fabric->size && !status; r++)
            sct_reduce_words(how, words + from, self->peers[r]->shown[turn].words, some);
    }
    return status;
}

const sct_fabric_ops sct_threads_ops = {
    .name = "threads",
    .close = sct_threads_close,
    .segment_open = sct_threads_segment_open,
    .segment_wrap = sct_threads_segment_wrap,
    .segment_close = sct_threads_segment_close,
    .peer = sct_threads_segment_peer,
    .per_node = sct_threads_segment_per_node,
    .get = threads_get,
    .accumulate = threads_accumulate,
    .order = sct_fabric_order_by_waiting,
    .barrier = threads_barrier,
    .exchange = threads_exchange,
    .reduce = threads_reduce,
    .progress = sct_pending_progress,
};
