/* far_fabric.c - the threads fabric with other functions: those that concern far transfers, and
 * which ranks are far. */
#include "engine/far_fabric.h"

#include "engine/far_transfers.h"
#include "fabric/pending.h"
#include "fabric/threads/rank.h"
#include "fabric/threads/segment.h"

#include <assert.h>
#include <stdlib.h>

/* A rank's functions, and what they need. */
typedef struct far_fabric {
    struct far_fabric *next;
    const sct_fabric *fabric;
    sct_fabric_ops ops;
    const sct_fabric_ops *threads;
    far_transfers *transfers;
    int wrapped_per_node;
} far_fabric;

/* Those of this thread, which is a rank of each. */
static _Thread_local far_fabric *first;

static far_fabric *far_of(const sct_fabric *fabric) {
    far_fabric *at = first;
    while (at->fabric != fabric)
        at = at->next;
    return at;
}

static void far_close(sct_fabric *fabric) {
    far_fabric *self = far_of(fabric);
    sct_pending_drain(fabric);
    far_transfers_close(self->transfers);
    far_fabric **link = &first;
    while (*link != self)
        link = &(*link)->next;
    *link = self->next;
    self->threads->close(fabric);
    free(self);
}

/* ---- Segments ---- */

static void far_segment_close(sct_segment *segment) {
    far_fabric *self = far_of(segment->fabric);
    sct_pending_drain(segment->fabric);
    far_transfers_drain(self->transfers);
    self->threads->segment_close(segment);
}

static int far_per_node(const sct_segment *segment) {
    const far_fabric *self = far_of(segment->fabric);
    return segment->memory ? segment->fabric->ranks_per_node : self->wrapped_per_node;
}

static bool is_near(const sct_segment *segment, int rank) {
    return sct_is_near(rank, segment->fabric->rank, far_per_node(segment));
}

static const sct_memory *far_peer(const sct_segment *segment, int rank) {
    return is_near(segment, rank) ? segment->peers[rank]->blocks : NULL;
}

/* ---- Transfers ---- */

static const sct_memory *block_of(const sct_target *target) {
    const sct_segment *segment = target->segment->peers[target->rank];
    assert(target->block >= 0 && target->block < segment->count);
    return &segment->blocks[target->block];
}

static sct_status far_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                          size_t pitch, sct_event *reached) {
    if (is_near(from->segment, from->rank))
        return far_of(fabric)->threads->get(fabric, stream, from, to, pitch, reached);
    sct_transfer transfer = sct_transfer_get(block_of(from), &from->part, to, pitch);
    return far_transfers_send(far_of(fabric)->transfers, &transfer, reached);
}

static sct_status far_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                 const void *from, size_t pitch, const sct_target *to,
                                 sct_event *reached) {
    if (is_near(to->segment, to->rank))
        return far_of(fabric)->threads->accumulate(fabric, stream, type, from, pitch, to, reached);
    sct_bands *bands = &to->segment->peers[to->rank]->bands[to->block];
    sct_transfer transfer =
        sct_transfer_accumulate(block_of(to), bands, &to->part, type, from, pitch, fabric->rank);
    return far_transfers_send(far_of(fabric)->transfers, &transfer, reached);
}

/* ---- Opening ---- */

static sct_status make(const emulated_options *options, const sct_fabric *threads,
                       far_fabric **made) {
    uint64_t seed = options->seed + (uint64_t)threads->rank * 0xd1342543de82ef95u;
    far_fabric *self = malloc(sizeof *self);
    if (!self)
        return sct_no_memory("far transfers");
    *self = (far_fabric){.fabric = threads,
                         .ops = *threads->ops,
                         .threads = threads->ops,
                         .wrapped_per_node = options->wrapped_alone ? 1 : threads->ranks_per_node};
    self->ops.close = far_close;
    self->ops.segment_close = far_segment_close;
    self->ops.peer = far_peer;
    self->ops.per_node = far_per_node;
    self->ops.get = far_get;
    self->ops.accumulate = far_accumulate;
    sct_status status = far_transfers_open(seed, options->delay_us, &self->transfers);
    if (status)
        free(self);
    else
        *made = self;
    return status;
}

sct_status far_fabric_open(const emulated_options *options, sct_fabric *threads) {
    far_fabric *self = NULL;
    bool all_near = threads->ranks_per_node == threads->size && !options->wrapped_alone;
    if (all_near || threads->size == 1)
        return SCT_OK;
    sct_status status = make(options, threads, &self);
    if (self) {
        self->next = first;
        first = self;
        threads->ops = &self->ops;
    }
    status = sct_fabric_agree(threads, status);
    if (status)
        threads->ops->close(threads);
    return status;
}
