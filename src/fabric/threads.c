/* threads.c - the fabric of ranks that are threads of one process: how they meet, and move data.
 *
 * All memory can be pointed to. What the options put beyond reach is carried by a courier, as if it
 * could not. */
#include "fabric/threads.h"

#include "fabric/courier.h"
#include "fabric/threads_barrier.h"
#include "fabric/threads_segment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4096 };

typedef struct threads {
    sct_fabric base;
    sct_barrier *barrier;
    sct_courier *courier; /* NULL if all ranks are within reach */
    const void *shown;    /* to the others, during an exchange */
    struct threads *peers[];
} threads;

static threads *threads_of(sct_fabric *fabric) {
    return (threads *)fabric;
}

/* ---- Transfers ---- */

static bool is_empty(const sct_target *target) {
    return target->lines == 0 || target->width == 0;
}

static const sct_memory *block_of(const sct_target *target) {
    const sct_segment *segment = target->segment->peers[target->rank];
    assert(target->block >= 0 && target->block < segment->count);
    const sct_memory *block = &segment->blocks[target->block];
    assert(target->line >= 0 && target->lines <= block->lines - target->line);
    assert(target->byte <= block->width && target->width <= block->width - target->byte);
    return block;
}

static char *start_of(const sct_target *target, const sct_memory *block) {
    return block->base + (size_t)target->line * block->pitch + target->byte;
}

static bool reaches(const sct_fabric *fabric, int rank) {
    return sct_within_reach(rank, fabric->rank, fabric->ranks_per_node);
}

static sct_status move(sct_fabric *fabric, int rank, const sct_transfer *transfer,
                       sct_ticket *ticket) {
    if (!reaches(fabric, rank))
        return sct_courier_send(threads_of(fabric)->courier, transfer, ticket);
    sct_transfer_run(transfer);
    *ticket = 0;
    return SCT_OK;
}

static sct_status threads_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                              sct_ticket *ticket) {
    if (is_empty(from)) {
        *ticket = 0;
        return SCT_OK;
    }
    const sct_memory *block = block_of(from);
    sct_transfer transfer = {.from = start_of(from, block),
                             .from_pitch = block->pitch,
                             .to = to,
                             .to_pitch = pitch,
                             .lines = from->lines,
                             .width = from->width};
    sct_status status = move(fabric, from->rank, &transfer, ticket);
    if (status == SCT_OK && !reaches(fabric, from->rank))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return status;
}

static sct_status threads_accumulate(sct_fabric *fabric, sct_type type, const void *from,
                                     size_t pitch, const sct_target *to, sct_ticket *ticket) {
    if (is_empty(to)) {
        *ticket = 0;
        return SCT_OK;
    }
    const sct_memory *block = block_of(to);
    assert(pitch % sct_type_bytes(type) == 0 && block->pitch % sct_type_bytes(type) == 0);
    assert(to->width % sct_type_bytes(type) == 0);
    assert((uintptr_t)start_of(to, block) % sct_type_bytes(sct_type_part(type)) == 0);
    sct_transfer transfer = {.from = from,
                             .from_pitch = pitch,
                             .to = start_of(to, block),
                             .to_pitch = block->pitch,
                             .lines = to->lines,
                             .width = to->width,
                             .bands = &to->segment->peers[to->rank]->bands[to->block],
                             .type = type,
                             .line = to->line,
                             .block_lines = block->lines,
                             .turn = fabric->rank};
    sct_status status = move(fabric, to->rank, &transfer, ticket);
    if (status == SCT_OK && to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
    return status;
}

static sct_status threads_wait(sct_fabric *fabric, sct_ticket ticket) {
    if (ticket != 0)
        sct_courier_wait(threads_of(fabric)->courier, ticket);
    return SCT_OK;
}

static bool threads_done(sct_fabric *fabric, sct_ticket ticket) {
    return ticket == 0 || sct_courier_done(threads_of(fabric)->courier, ticket);
}

/* ---- Meeting ---- */

static sct_status threads_barrier(sct_fabric *fabric) {
    sct_barrier_wait(threads_of(fabric)->barrier);
    return SCT_OK;
}

static sct_status threads_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    threads *self = threads_of(fabric);
    self->shown = mine;
    sct_barrier_wait(self->barrier);
    for (int r = 0; r < fabric->size; r++)
        memcpy((char *)all + (size_t)r * bytes, self->peers[r]->shown, bytes);
    sct_barrier_wait(self->barrier);
    return SCT_OK;
}

/* ---- Life ---- */

static void threads_close(sct_fabric *fabric) {
    threads *self = threads_of(fabric);
    if (self->courier)
        sct_courier_close(self->courier);
    if (self->barrier)
        sct_barrier_leave(self->barrier);
    free(self);
}

static const sct_fabric_ops threads_ops = {
    .name = "threads",
    .close = threads_close,
    .segment_open = sct_threads_segment_open,
    .segment_wrap = sct_threads_segment_wrap,
    .segment_close = sct_threads_segment_close,
    .peer = sct_threads_segment_peer,
    .get = threads_get,
    .accumulate = threads_accumulate,
    .wait = threads_wait,
    .done = threads_done,
    .barrier = threads_barrier,
    .exchange = threads_exchange,
};

static sct_status threads_make(const sct_bootstrap *bootstrap, const sct_world_options *options,
                               threads **made) {
    int ranks = bootstrap->ranks;
    bool far = options && options->ranks_per_node > 0 && options->ranks_per_node < ranks;
    threads *self = calloc(1, sizeof *self + (size_t)ranks * sizeof self->peers[0]);
    if (!self)
        return sct_fail(SCT_NO_MEMORY, "no memory for a fabric of %d ranks", ranks);
    self->base = (sct_fabric){.ops = &threads_ops,
                              .rank = bootstrap->rank,
                              .size = ranks,
                              .ranks_per_node = far ? options->ranks_per_node : ranks};
    sct_status status = SCT_OK;
    if (bootstrap->rank == 0)
        status = sct_barrier_create(ranks, far ? 2 * ranks : ranks, &self->barrier);
    if (status == SCT_OK && far) {
        uint64_t seed = options->seed + (uint64_t)bootstrap->rank * 0xd1342543de82ef95u;
        status = sct_courier_open(seed, options->delay_us, &self->courier);
    }
    if (status != SCT_OK)
        threads_close(&self->base);
    else
        *made = self;
    return status;
}

/* What a rank brings to the first meeting. */
typedef struct offer {
    sct_status status;
    char reason[SCT_REASON_BYTES];
    threads *self;
} offer;

static sct_status gather(const sct_bootstrap *bootstrap, const offer *mine, const offer **offers) {
    if (bootstrap->allgather(bootstrap->context, &mine, sizeof mine, offers) != 0)
        return sct_fail(SCT_FAILED, "the allgather of the bootstrap failed");
    return SCT_OK;
}

static sct_status settle(const offer *mine, int ranks, const offer **offers) {
    for (int r = 0; r < ranks; r++) {
        if (offers[r]->status != SCT_OK)
            return sct_fail(offers[r]->status, "%s", offers[r]->reason);
    }
    threads *self = mine->self;
    for (int r = 0; r < ranks; r++)
        self->peers[r] = offers[r]->self;
    if (self != self->peers[0]) {
        self->barrier = self->peers[0]->barrier;
        sct_barrier_join(self->barrier);
    }
    return SCT_OK;
}

/* `offers` has room for one of each rank. */
static sct_status meet(const sct_bootstrap *bootstrap, const offer *mine, const offer **offers) {
    sct_status status = gather(bootstrap, mine, offers);
    if (status != SCT_OK)
        return status;
    sct_status settled = settle(mine, bootstrap->ranks, offers);
    /* An offer must last until all have read it. */
    status = gather(bootstrap, mine, offers);
    return settled != SCT_OK ? settled : status;
}

sct_status sct_fabric_threads(const sct_bootstrap *bootstrap, const sct_world_options *options,
                              sct_fabric **fabric) {
    /* On the stack, because a rank without memory must come to the meeting, too. */
    const offer *offers[MOST_RANKS];
    if (bootstrap->ranks > MOST_RANKS)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks on threads; at most %d", bootstrap->ranks,
                        MOST_RANKS);
    offer mine = {.reason = ""};
    mine.status = threads_make(bootstrap, options, &mine.self);
    if (mine.status != SCT_OK)
        snprintf(mine.reason, sizeof mine.reason, "%s", sct_last_reason());
    sct_status status = meet(bootstrap, &mine, offers);
    if (status == SCT_OK)
        *fabric = &mine.self->base;
    else if (mine.self)
        threads_close(&mine.self->base);
    return status;
}
