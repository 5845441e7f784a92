/* transfers.c - gets and accumulates: within the rank, and of ranks whose memory it has attached,
 * by commands of its device; of other ranks by the processes. */
#include "fabric/staged/rank.h"

#include "fabric/processes/collective.h"
#include "fabric/service/split.h"

/* Set in the ticket of a transfer that the device makes; clear in one that goes through messages
 * between the processes. */
static const sct_ticket direct = (sct_ticket)1 << 63;

static sct_target placed(const sct_target *target) {
    sct_target same = *target;
    same.segment = target->segment->placed;
    return same;
}

/* ---- By the device of this rank ---- */

/* The addresses at which this rank's device reaches the blocks of the target's rank: its own
 * blocks, or those that it has attached. NULL if it has attached none. */
static const sct_memory *blocks_of(const sct_staged_rank *self, const sct_target *target) {
    return target->rank == self->base.rank
               ? self->ranks->ops->peer(target->segment->placed, target->rank)
               : target->segment->attached[target->rank].blocks;
}

/* Whether the device can copy from there to memory which may be the host's. A copy needs one side
 * that it can use. */
static bool can_get(const sct_staged_rank *self, const sct_target *from, const void *to) {
    const sct_memory *blocks = blocks_of(self, from);
    return blocks && (sct_stage_can_use(&self->stage, blocks->base) ||
                      sct_stage_can_use(&self->stage, to) || from->rank == self->base.rank);
}

static bool can_add(const sct_staged_rank *self, const sct_target *to) {
    const sct_memory *blocks = blocks_of(self, to);
    return blocks && (to->rank == self->base.rank || sct_stage_can_use(&self->stage, blocks->base));
}

static const sct_memory *block_of(const sct_staged_rank *self, const sct_target *target) {
    return &blocks_of(self, target)[target->block];
}

static sct_status run(sct_staged_rank *self, const sct_transfer *transfer) {
    sct_staged staged;
    sct_status status = sct_stage_start(&self->stage, transfer, &staged);
    return status || !staged ? status : sct_stage_wait(&self->stage, staged);
}

static sct_status start(sct_staged_rank *self, const sct_transfer *transfer, sct_ticket *ticket) {
    sct_staged staged;
    sct_status status = sct_stage_start(&self->stage, transfer, &staged);
    *ticket = staged ? staged | direct : 0;
    return status;
}

static sct_transfer addition(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                             const sct_target *to) {
    return sct_transfer_accumulate(block_of(self, to), &self->bands, to, type, from, pitch,
                                   self->base.rank);
}

/* Adds a piece of memory that the device cannot use. */
static sct_status add_piece(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                            const sct_target *to) {
    sct_transfer piece = addition(self, type, from, pitch, to);
    return run(self, &piece);
}

/* Adds a piece to memory that the device cannot use. */
static sct_status add_to_host(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                              const sct_target *to) {
    sct_fabric *ranks = self->ranks;
    sct_device *device = self->stage.device;
    sct_target host = placed(to);
    sct_ticket ticket;
    char *buffer = device->ops->alloc_host(device, (size_t)to->lines * to->width);
    if (!buffer)
        return sct_no_memory("a buffer");
    const sct_transfer copy = {.from = from,
                               .from_pitch = pitch,
                               .to = buffer,
                               .to_pitch = to->width,
                               .lines = to->lines,
                               .width = to->width};
    sct_status status = run(self, &copy);
    if (!status)
        status = ranks->ops->accumulate(ranks, type, buffer, to->width, &host, &ticket);
    device->ops->release_host(device, buffer);
    return status;
}

typedef sct_status add_part(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                            const sct_target *to);

static sct_status in_pieces(sct_staged_rank *self, add_part *add, sct_type type, const char *from,
                            size_t pitch, const sct_target *to) {
    sct_split cut = sct_split_make(to->lines, to->width, SCT_PIECE_MOST_BYTES);
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < cut.pieces && !status; i++) {
        sct_piece piece = sct_split_piece(&cut, i);
        sct_target part = *to;
        part.line += piece.line;
        part.byte += piece.byte;
        part.lines = piece.lines;
        part.width = piece.width;
        status = add(self, type, from + (size_t)piece.line * pitch + piece.byte, pitch, &part);
    }
    return status;
}

static sct_status add(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                      const sct_target *to, sct_ticket *ticket) {
    if (!sct_stage_can_use(&self->stage, block_of(self, to)->base))
        return in_pieces(self, add_to_host, type, from, pitch, to);
    if (!sct_stage_can_use(&self->stage, from))
        return in_pieces(self, add_piece, type, from, pitch, to);
    sct_transfer whole = addition(self, type, from, pitch, to);
    return start(self, &whole, ticket);
}

/* ---- All transfers ---- */

/* Fails if a rank is gone. */
static sct_status check_ranks(const sct_staged_rank *self) {
    return sct_process_collective_status(sct_process_of(self->ranks));
}

static void count_got(sct_fabric *fabric, sct_status status, const sct_target *from) {
    if (!status && from->rank != fabric->rank)
        fabric->bytes_got += (uint64_t)from->lines * from->width;
}

static void count_accumulated(sct_fabric *fabric, sct_status status, const sct_target *to) {
    if (!status && to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
}

sct_status sct_staged_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    sct_target there = placed(from);
    *ticket = 0;
    if (sct_target_is_empty(from))
        return SCT_OK;
    sct_status status = check_ranks(self);
    if (!status && can_get(self, from, to)) {
        sct_transfer copy = sct_transfer_get(block_of(self, from), from, to, pitch);
        status = start(self, &copy, ticket);
    } else if (!status) {
        status = self->ranks->ops->get(self->ranks, &there, to, pitch, ticket);
    }
    count_got(fabric, status, from);
    return status;
}

sct_status sct_staged_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    sct_target there = placed(to);
    *ticket = 0;
    if (sct_target_is_empty(to))
        return SCT_OK;
    sct_status status = check_ranks(self);
    if (!status)
        status = can_add(self, to)
                     ? add(self, type, from, pitch, to, ticket)
                     : self->ranks->ops->accumulate(self->ranks, type, from, pitch, &there, ticket);
    count_accumulated(fabric, status, to);
    return status;
}

sct_status sct_staged_get_on(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                             void *to, size_t pitch) {
    sct_staged_rank *self = sct_staged_of(fabric);
    if (sct_target_is_empty(from))
        return SCT_OK;
    sct_transfer copy = sct_transfer_get(block_of(self, from), from, to, pitch);
    sct_status status = check_ranks(self);
    if (!status)
        status = sct_device_submit_move(self->stage.device, stream, copy.lines, copy.width,
                                        copy.from, copy.from_pitch, copy.to, copy.to_pitch);
    count_got(fabric, status, from);
    return status;
}

sct_status sct_staged_accumulate_on(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                    const void *from, size_t pitch, const sct_target *to) {
    sct_staged_rank *self = sct_staged_of(fabric);
    if (sct_target_is_empty(to))
        return SCT_OK;
    sct_transfer whole = addition(self, type, from, pitch, to);
    sct_status status = check_ranks(self);
    if (!status)
        status = sct_stage_add(&self->stage, stream, &whole);
    count_accumulated(fabric, status, to);
    return status;
}

sct_status sct_staged_wait(sct_fabric *fabric, sct_ticket ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    return ticket & direct ? sct_stage_wait(&self->stage, ticket & ~direct)
                           : self->ranks->ops->wait(self->ranks, ticket);
}

bool sct_staged_done(sct_fabric *fabric, sct_ticket ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    return ticket & direct ? sct_stage_done(&self->stage, ticket & ~direct)
                           : self->ranks->ops->done(self->ranks, ticket);
}
