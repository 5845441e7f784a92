/* transfers.c - gets and accumulates: from other ranks by the processes, within the rank by its
 * stage. */
#include "fabric/staged/rank.h"

#include "fabric/service/split.h"

/* The tickets of additions within the rank, besides those of the processes. */
static const sct_ticket within = (sct_ticket)1 << 63;

static sct_target placed(const sct_target *target) {
    sct_target same = *target;
    same.segment = target->segment->placed;
    return same;
}

/* ---- Within the rank ---- */

static const sct_memory *block_of(const sct_staged_rank *self, const sct_target *target) {
    const sct_memory *blocks = self->ranks->ops->peer(target->segment->placed, self->base.rank);
    return &blocks[target->block];
}

static sct_status run(sct_staged_rank *self, const sct_transfer *transfer) {
    sct_staged staged;
    sct_status status = sct_stage_start(&self->stage, transfer, &staged);
    return status || !staged ? status : sct_stage_wait(&self->stage, staged);
}

static sct_status get_own(sct_staged_rank *self, const sct_target *from, void *to, size_t pitch) {
    sct_transfer copy = sct_transfer_get(block_of(self, from), from, to, pitch);
    return run(self, &copy);
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

static sct_status add_own(sct_staged_rank *self, sct_type type, const void *from, size_t pitch,
                          const sct_target *to, sct_ticket *ticket) {
    if (!sct_stage_can_use(&self->stage, block_of(self, to)->base))
        return in_pieces(self, add_to_host, type, from, pitch, to);
    if (!sct_stage_can_use(&self->stage, from))
        return in_pieces(self, add_piece, type, from, pitch, to);
    sct_transfer whole = addition(self, type, from, pitch, to);
    sct_status status = sct_stage_start(&self->stage, &whole, ticket);
    *ticket |= within;
    return status;
}

/* ---- All transfers ---- */

sct_status sct_staged_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    sct_target there = placed(from);
    *ticket = 0;
    if (sct_target_is_empty(from))
        return SCT_OK;
    if (from->rank == fabric->rank)
        return get_own(self, from, to, pitch);
    sct_status status = self->ranks->ops->get(self->ranks, &there, to, pitch, ticket);
    fabric->bytes_got += status ? 0 : (uint64_t)from->lines * from->width;
    return status;
}

sct_status sct_staged_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    sct_target there = placed(to);
    *ticket = 0;
    if (sct_target_is_empty(to))
        return SCT_OK;
    if (to->rank == fabric->rank)
        return add_own(self, type, from, pitch, to, ticket);
    sct_status status =
        self->ranks->ops->accumulate(self->ranks, type, from, pitch, &there, ticket);
    fabric->bytes_accumulated += status ? 0 : (uint64_t)to->lines * to->width;
    return status;
}

sct_status sct_staged_wait(sct_fabric *fabric, sct_ticket ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    return ticket & within ? sct_stage_wait(&self->stage, ticket & ~within)
                           : self->ranks->ops->wait(self->ranks, ticket);
}

bool sct_staged_done(sct_fabric *fabric, sct_ticket ticket) {
    sct_staged_rank *self = sct_staged_of(fabric);
    return ticket & within ? sct_stage_done(&self->stage, ticket & ~within)
                           : self->ranks->ops->done(self->ranks, ticket);
}
