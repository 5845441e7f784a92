/* mpi.c - the fabric of ranks that are processes: how they move data.
 *
 * What is mapped is read and added to as if ranks were threads. */
#include "fabric/mpi/mpi.h"

#include "fabric/mpi/meeting.h"
#include "fabric/mpi/segment.h"

#include <assert.h>

static bool is_empty(const sct_target *target) {
    return target->lines == 0 || target->width == 0;
}

static const sct_mpi_part *part_of(const sct_target *target) {
    return &target->segment->parts[target->rank];
}

/* The rectangle in memory that is mapped. */
static char *start_of(const sct_target *target, size_t *pitch) {
    const sct_memory *block = &part_of(target)->blocks[target->block];
    assert(target->line >= 0 && target->lines <= block->lines - target->line);
    assert(target->byte <= block->width && target->width <= block->width - target->byte);
    *pitch = block->pitch;
    return block->base + (size_t)target->line * block->pitch + target->byte;
}

static sct_status mpi_get(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                          sct_ticket *ticket) {
    *ticket = 0;
    if (is_empty(from))
        return SCT_OK;
    sct_status status = sct_mpi_meeting_status(sct_mpi_of(fabric));
    if (status != SCT_OK)
        return status;
    if (!part_of(from)->blocks)
        return sct_fail(SCT_UNREACHABLE, "memory of rank %d is beyond reach", from->rank);
    sct_transfer transfer = {
        .to = to, .to_pitch = pitch, .lines = from->lines, .width = from->width};
    transfer.from = start_of(from, &transfer.from_pitch);
    sct_transfer_run(&transfer);
    if (!sct_mpi_segment_peer(from->segment, from->rank))
        fabric->bytes_got += (uint64_t)from->lines * from->width;
    return SCT_OK;
}

static sct_status mpi_accumulate(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                                 const sct_target *to, sct_ticket *ticket) {
    *ticket = 0;
    if (is_empty(to))
        return SCT_OK;
    sct_status status = sct_mpi_meeting_status(sct_mpi_of(fabric));
    if (status != SCT_OK)
        return status;
    const sct_mpi_part *part = part_of(to);
    if (!part->blocks)
        return sct_fail(SCT_UNREACHABLE, "memory of rank %d is beyond reach", to->rank);
    sct_transfer transfer = {.from = from,
                             .from_pitch = pitch,
                             .lines = to->lines,
                             .width = to->width,
                             .bands = &part->bands[to->block],
                             .type = type,
                             .line = to->line,
                             .block_lines = part->blocks[to->block].lines,
                             .turn = fabric->rank};
    transfer.to = start_of(to, &transfer.to_pitch);
    sct_transfer_run(&transfer);
    if (to->rank != fabric->rank)
        fabric->bytes_accumulated += (uint64_t)to->lines * to->width;
    return SCT_OK;
}

static sct_status mpi_wait(sct_fabric *fabric, sct_ticket ticket) {
    (void)fabric, (void)ticket;
    return SCT_OK;
}

static bool mpi_done(sct_fabric *fabric, sct_ticket ticket) {
    (void)fabric, (void)ticket;
    return true;
}

static sct_status mpi_barrier(sct_fabric *fabric) {
    return sct_mpi_meet(sct_mpi_of(fabric), SCT_TO_MEET);
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
};
