/* mpi.c - the fabric of ranks that are processes: transfers.
 *
 * Mapped memory is used as among threads. Wrapped memory of the node is read through the system.
 * For other memory the owner is asked. */
#include "fabric/mpi/mpi.h"

#include "fabric/mpi/collective.h"
#include "fabric/mpi/cross_read.h"
#include "fabric/mpi/rma.h"

static sct_place_far place_of(const sct_target *target) {
    return (sct_place_far){.id = target->segment->id,
                           .rank = target->rank,
                           .block = target->block,
                           .line = target->line,
                           .byte = target->byte,
                           .lines = target->lines,
                           .width = target->width};
}

/* False if the memory must be had from its owner. */
static bool read_across(const sct_mpi *self, const sct_target *from, void *to, size_t pitch) {
    const sct_mpi_part *part = &from->segment->parts[from->rank];
    if (!part->read)
        return false;
    sct_transfer copy = sct_transfer_get(&part->read[from->block], from, to, pitch);
    return sct_cross_read(self->pid[from->rank], &copy);
}

static sct_status mpi_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket) {
    sct_mpi *self = sct_mpi_of(fabric);
    *ticket = 0;
    if (sct_target_is_empty(from))
        return SCT_OK;
    sct_status status = sct_mpi_collective_status(self);
    if (status != SCT_OK)
        return status;
    const sct_mpi_part *part = &from->segment->parts[from->rank];
    if (part->blocks) {
        sct_transfer transfer = sct_transfer_get(&part->blocks[from->block], from, to, pitch);
        sct_transfer_run(&transfer);
    } else if (from->segment->window != MPI_WIN_NULL) {
        status = sct_rma_get(self->rma, from, to, pitch, ticket);
    } else if (!read_across(self, from, to, pitch)) {
        sct_place_far place = place_of(from);
        status = sct_service_get(self->service, &place, to, pitch, ticket);
    }
    if (status == SCT_OK && !sct_mpi_segment_peer(from->segment, from->rank))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return status;
}

static sct_status mpi_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket) {
    sct_mpi *self = sct_mpi_of(fabric);
    *ticket = 0;
    if (sct_target_is_empty(to))
        return SCT_OK;
    sct_status status = sct_mpi_collective_status(self);
    if (status != SCT_OK)
        return status;
    const sct_mpi_part *part = &to->segment->parts[to->rank];
    if (to->segment->window != MPI_WIN_NULL) {
        status = sct_rma_accumulate(self->rma, type, from, pitch, to, ticket);
    } else if (part->blocks) {
        sct_transfer transfer = sct_transfer_accumulate(
            &part->blocks[to->block], &part->bands[to->block], to, type, from, pitch, fabric->rank);
        sct_transfer_run(&transfer);
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
    if (sct_mpi_must_serve(self))
        sct_service_progress(self->service);
    if (self->rma) /* any call makes progress */
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, self->comm, &ignored, MPI_STATUS_IGNORE);
}

static sct_status mpi_barrier(sct_fabric *fabric) {
    return sct_mpi_barrier(sct_mpi_of(fabric), SCT_TO_MEET);
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
    .exchange = sct_mpi_exchange,
    .progress = mpi_progress,
};
