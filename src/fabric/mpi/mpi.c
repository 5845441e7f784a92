/* mpi.c - the fabric of ranks that are processes: transfers.
 *
 * Mapped memory is used as among threads; for other memory the owner is asked. */
#include "fabric/mpi/mpi.h"

#include "fabric/mpi/collective.h"
#include "fabric/mpi/rma.h"

#include <assert.h>

static bool is_empty(const sct_target *target) {
    return target->lines == 0 || target->width == 0;
}

static const sct_mpi_part *part_of(const sct_target *target) {
    return &target->segment->parts[target->rank];
}

/* The address of a rectangle in mapped memory. */
static char *start_of(const sct_target *target, size_t *pitch) {
    const sct_memory *block = &part_of(target)->blocks[target->block];
    assert(target->line >= 0 && target->lines <= block->lines - target->line);
    assert(target->byte <= block->width && target->width <= block->width - target->byte);
    *pitch = block->pitch;
    return block->base + (size_t)target->line * block->pitch + target->byte;
}

static sct_place_far place_of(const sct_target *target) {
    return (sct_place_far){.id = target->segment->id,
                           .rank = target->rank,
                           .block = target->block,
                           .line = target->line,
                           .byte = target->byte,
                           .lines = target->lines,
                           .width = target->width};
}

static void get_here(const sct_target *from, void *to, size_t pitch) {
    sct_transfer transfer = {
        .to = to, .to_pitch = pitch, .lines = from->lines, .width = from->width};
    transfer.from = start_of(from, &transfer.from_pitch);
    sct_transfer_run(&transfer);
}

static sct_status mpi_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket) {
    sct_mpi *self = sct_mpi_of(fabric);
    *ticket = 0;
    if (is_empty(from))
        return SCT_OK;
    sct_status status = sct_mpi_collective_status(self);
    if (status != SCT_OK)
        return status;
    if (part_of(from)->blocks) {
        get_here(from, to, pitch);
    } else if (from->segment->window != MPI_WIN_NULL) {
        status = sct_rma_get(self->rma, from, to, pitch, ticket);
    } else {
        sct_place_far place = place_of(from);
        status = sct_service_get(self->service, &place, to, pitch, ticket);
    }
    if (status == SCT_OK && !sct_mpi_segment_peer(from->segment, from->rank))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return status;
}

static void add_here(int turn, sct_type type, const void *from, size_t pitch,
                     const sct_target *to) {
    const sct_mpi_part *part = part_of(to);
    sct_transfer transfer = {.from = from,
                             .from_pitch = pitch,
                             .lines = to->lines,
                             .width = to->width,
                             .bands = &part->bands[to->block],
                             .type = type,
                             .line = to->line,
                             .block_lines = part->blocks[to->block].lines,
                             .turn = turn};
    transfer.to = start_of(to, &transfer.to_pitch);
    sct_transfer_run(&transfer);
}

static sct_status mpi_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket) {
    sct_mpi *self = sct_mpi_of(fabric);
    *ticket = 0;
    if (is_empty(to))
        return SCT_OK;
    sct_status status = sct_mpi_collective_status(self);
    if (status != SCT_OK)
        return status;
    if (to->segment->window != MPI_WIN_NULL) {
        status = sct_rma_accumulate(self->rma, type, from, pitch, to, ticket);
    } else if (part_of(to)->blocks) {
        add_here(fabric->rank, type, from, pitch, to);
    } else {
        sct_place_far place = place_of(to);
        status = sct_service_accumulate(self->service, type, from, pitch, &place, ticket);
    }
    if (status == SCT_OK && to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
    return status;
}

static sct_status mpi_wait(sct_fabric *fabric, sct_ticket ticket) {
    sct_mpi *self = sct_mpi_of(fabric);
    if (ticket == 0)
        return SCT_OK;
    return sct_rma_owns(ticket) ? sct_rma_wait(self->rma, ticket)
                                : sct_service_wait(self->service, ticket);
}

static bool mpi_done(sct_fabric *fabric, sct_ticket ticket) {
    const sct_mpi *self = sct_mpi_of(fabric);
    if (ticket == 0)
        return true;
    return sct_rma_owns(ticket) ? sct_rma_done(self->rma, ticket)
                                : sct_service_done(self->service, ticket);
}

static void mpi_progress(sct_fabric *fabric) {
    sct_mpi *self = sct_mpi_of(fabric);
    int ignored;
    if (sct_mpi_must_answer(self))
        sct_service_progress(self->service);
    if (self->rma) /* any call makes progress */
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm, &ignored, MPI_STATUS_IGNORE);
}

static sct_status mpi_barrier(sct_fabric *fabric) {
    return sct_mpi_barrier(sct_mpi_of(fabric), SCT_TO_MEET);
}

static sct_status mpi_exchange(sct_fabric *fabric, const void *mine, size_t bytes, void *all) {
    return sct_mpi_exchange(sct_mpi_of(fabric), mine, bytes, all);
}

const sct_fabric_ops sct_mpi_ops = {
    .name = "mpi",
    .close = sct_mpi_close,
    .segment_open = sct_mpi_segment_open,
    .segment_wrap = sct_mpi_segment_wrap,
    .segment_close = sct_mpi_segment_close,
    .peer = sct_mpi_segment_peer,
    .get = mpi_get,
    .accumulate = mpi_accumulate,
    .wait = mpi_wait,
    .done = mpi_done,
    .barrier = mpi_barrier,
    .exchange = mpi_exchange,
    .progress = mpi_progress,
};
