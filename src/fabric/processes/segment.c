/* segment.c - opens and closes segments of ranks that are processes.
 *
 * The shared memory of an allocated segment holds the locks of its blocks, the blocks with offsets
 * as bases, and their data, in one piece. */
#include "fabric/processes/segment.h"

#include "base/log.h"
#include "fabric/dense.h"
#include "fabric/pending.h"
#include "fabric/processes/cma.h"
#include "fabric/processes/collective.h"
#include "fabric/processes/node.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { PAGE = 4096 };

/* Memory up to this size is populated on allocation. */
static const size_t most_populated = (size_t)4 << 30;

/* What a rank publishes about its memory. */
typedef struct offer {
    uint64_t bytes;
    int file, count;
} offer;

/* ---- One rank's part ---- */

static void part_free(sct_segment_part *part) {
    if (part->shared.memory)
        sct_shared_close(&part->shared);
    if (part->own_bands)
        free(part->bands);
    free(part->blocks);
    free(part->cma);
}

sct_status sct_part_describe(int count, const sct_memory *blocks, sct_segment_part *part) {
    /* one more than needed, since calloc of none may return NULL */
    part->blocks = calloc((size_t)count + 1, sizeof *part->blocks);
    if (!part->blocks)
        return sct_fail(SCT_NO_MEMORY, "no memory for a segment of %d blocks", count);
    for (int i = 0; i < count; i++)
        part->blocks[i] = blocks[i];
    return SCT_OK;
}

size_t sct_process_segment_table(int count) {
    return (size_t)count * sizeof(sct_bands);
}

/* The offset of the data: at a page. */
static size_t data_offset(int count) {
    size_t used = sct_process_segment_table(count) + (size_t)count * sizeof(sct_memory);
    return (used + PAGE - 1) / PAGE * PAGE;
}

/* Allocates a part. `alone`: no other rank is on the node, so none will map it. */
static sct_status part_open(bool alone, int count, const sct_memory *blocks,
                            sct_segment_part *part) {
    size_t bytes;
    part->count = count;
    sct_status status = sct_part_describe(count, blocks, part);
    if (status == SCT_OK)
        status = sct_dense_bytes(count, blocks, &bytes);
    if (status == SCT_OK && bytes > SIZE_MAX / 2 - data_offset(count))
        status = sct_fail(SCT_TOO_LARGE, "%zu bytes are too many to share", bytes);
    if (status != SCT_OK)
        return status;
    bytes += data_offset(count);
    status = alone ? sct_shared_private(bytes, &part->shared)
                   : sct_shared_create(bytes, true, &part->shared);
    if (status != SCT_OK)
        return status;
    char *memory = part->shared.memory;
    sct_memory *table = (sct_memory *)(memory + sct_process_segment_table(count));
    part->bands = (sct_bands *)memory;
    sct_dense_place(count, part->blocks, memory + data_offset(count));
    for (int i = 0; i < count; i++) {
        table[i] = part->blocks[i];
        table[i].base = (char *)(part->blocks[i].base - memory);
    }
    return SCT_OK;
}

/* Maps the part of another rank. */
static sct_status part_map(pid_t owner, const offer *offered, bool populate,
                           sct_segment_part *part) {
    sct_status status =
        sct_shared_open(owner, offered->file, (size_t)offered->bytes, populate, &part->shared);
    if (status != SCT_OK)
        return status;
    char *memory = part->shared.memory;
    part->count = offered->count;
    part->bands = (sct_bands *)memory;
    status = sct_part_describe(
        offered->count, (sct_memory *)(memory + sct_process_segment_table(offered->count)), part);
    for (int i = 0; i < offered->count && status == SCT_OK; i++)
        part->blocks[i].base = memory + (uintptr_t)part->blocks[i].base;
    return status;
}

/* ---- The segment ---- */

static void segment_free(sct_segment *segment) {
    if (!segment)
        return;
    if (segment->offered)
        sct_service_withdraw(segment->fabric->service, segment->id);
    if (segment->window)
        segment->fabric->direct->close(segment->fabric, segment);
    for (int seat = 0; seat < segment->fabric->node_count; seat++)
        part_free(&segment->parts[seat]);
    free(segment);
}

sct_status sct_process_segment_make(sct_process *self, int count, sct_segment **segment) {
    assert(count >= 0);
    self->made++;
    sct_segment *made = calloc(1, sizeof *made + (size_t)self->node_count * sizeof made->parts[0]);
    if (!made)
        return sct_no_memory("a segment");
    made->fabric = self;
    made->count = count;
    made->id = self->made;
    made->per_node = self->base.ranks_per_node;
    for (int seat = 0; seat < self->node_count; seat++)
        made->parts[seat].shared.file = -1;
    *segment = made;
    return SCT_OK;
}

static const offer *offer_of(const sct_process *self, int seat) {
    return sct_process_posted(self, seat);
}

/* Maps the parts of all ranks of the node. */
static sct_status map_node(sct_process *self, sct_segment *segment) {
    size_t bytes = sct_segment_own(segment)->shared.bytes;
    sct_status status = SCT_OK;
    for (int seat = 0; seat < self->node_count; seat++)
        if (seat != self->seat)
            bytes += (size_t)offer_of(self, seat)->bytes;
    for (int seat = 0; seat < self->node_count && status == SCT_OK; seat++)
        if (seat != self->seat)
            status = part_map(self->node[seat].pid, offer_of(self, seat), bytes <= most_populated,
                              &segment->parts[seat]);
    return status;
}

sct_status sct_process_segment_offer(sct_process *self, sct_segment *segment) {
    const sct_segment_part *own = sct_segment_own(segment);
    assert(self->service);
    sct_status status =
        sct_service_offer(self->service, segment->id, segment->count, own->blocks, own->bands);
    segment->offered = status == SCT_OK;
    return status;
}

/* Collective. Frees a window that all ranks have created. One that some ranks lack cannot be
 * freed. */
static void drop_window(sct_process *self, sct_segment *segment) {
    int all = 0;
    if (sct_process_least(self, segment->window != NULL, &all) == SCT_OK && all)
        self->direct->close(self, segment);
    segment->window = NULL;
}

/* Collective, also for ranks that have failed before. */
static sct_status share(sct_process *self, sct_status status, sct_segment *segment) {
    if (status == SCT_OK) {
        const sct_shared *own = &sct_segment_own(segment)->shared;
        const offer mine = {own->bytes, own->file, segment->count};
        sct_process_post(self, &mine, sizeof mine);
    }
    status = sct_fabric_agree(&self->base, status);
    if (status == SCT_OK) {
        status = map_node(self, segment);
        if (status == SCT_OK && self->base.ranks_per_node < self->base.size && !self->direct)
            status = sct_process_segment_offer(self, segment);
        status = sct_fabric_agree(&self->base, status);
    }
    if (status == SCT_OK && self->direct) {
        status = sct_fabric_agree(&self->base, self->direct->open(self, segment));
        if (status != SCT_OK)
            drop_window(self, segment);
    }
    return status;
}

/* One line for each run of ranks whose memory is reached in the same way. */
static void log_routes(sct_segment *segment) {
    const sct_fabric *fabric = &segment->fabric->base;
    int first = 0;
    for (int r = 1; r <= fabric->size && sct_log_wants(SCT_LOG_DEBUG, fabric->rank); r++) {
        const char *name = sct_segment_routes(segment, first)->name;
        if (r < fabric->size && sct_segment_routes(segment, r)->name == name)
            continue;
        sct_log_write(SCT_LOG_DEBUG, fabric->rank,
                      "segment %" PRIu64 ": memory of ranks %d to %d is reached by %s", segment->id,
                      first, r - 1, name);
        first = r;
    }
}

sct_status sct_process_segment_finish(sct_process *self, sct_status status, sct_segment *segment) {
    if (status != SCT_OK) {
        segment_free(segment);
        return status;
    }
    sct_shared_withdraw(&sct_segment_own(segment)->shared);
    segment->far = sct_process_routes(segment, NULL);
    for (int seat = 0; seat < self->node_count; seat++)
        segment->parts[seat].routes = sct_process_routes(segment, &segment->parts[seat]);
    log_routes(segment);
    segment->next = self->segments;
    self->segments = segment;
    return SCT_OK;
}

sct_status sct_process_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment) {
    sct_process *self = sct_process_of(fabric);
    sct_segment *made = NULL;
    sct_status status = sct_process_segment_make(self, count, &made);
    if (status == SCT_OK)
        status = part_open(self->node_count == 1, count, blocks, sct_segment_own(made));
    status = sct_process_segment_finish(self, share(self, status, made), made);
    if (status != SCT_OK)
        return status;
    for (int i = 0; i < count; i++)
        blocks[i] = sct_segment_own(made)->blocks[i];
    *segment = made;
    return SCT_OK;
}

/* After a rank has left, others may still be using the memory, which is therefore freed with the
 * fabric. The caller's own memory is withdrawn at once. */
static void leave_behind(sct_segment *segment) {
    if (sct_segment_own(segment)->shared.memory || !segment->offered)
        return;
    sct_service_withdraw(segment->fabric->service, segment->id);
    segment->offered = false;
}

/* If this fails, ranks do not meet either. */
static void drain(sct_process *self) {
    sct_pending_drain(&self->base);
    if (self->cma)
        (void)sct_cma_finish(self->cma);
    if (self->service)
        (void)sct_service_drain(self->service);
}

void sct_process_segment_close(sct_segment *segment) {
    sct_process *self = segment->fabric;
    drain(self);
    if (sct_process_barrier(self, SCT_TO_CLOSE) != SCT_OK) {
        leave_behind(segment);
        return;
    }
    sct_segment **link = &self->segments;
    while (*link != segment)
        link = &(*link)->next;
    *link = segment->next;
    segment_free(segment);
}

void sct_process_segments_abandon(sct_segment *first) {
    for (; first; first = first->next)
        sct_segment_own(first)->shared.memory = NULL;
}

void sct_process_segments_free(sct_segment *first) {
    while (first) {
        sct_segment *next = first->next;
        segment_free(first);
        first = next;
    }
}

const sct_memory *sct_process_segment_peer(const sct_segment *segment, int rank) {
    /* with ranks_per_node, a host may count as several nodes, whose memory is mapped all the same
     */
    const sct_process *self = segment->fabric;
    bool near = sct_is_near(rank, self->base.rank, segment->per_node);
    return near ? segment->parts[sct_process_seat_of(self, rank)].blocks : NULL;
}

int sct_process_segment_per_node(const sct_segment *segment) {
    return segment->per_node;
}
