/* wrap.c - makes a segment of memory that the caller has allocated. The memory is not copied.
 *
 * If all ranks wrap memory of segments that the library has allocated, ranks of the same node have
 * that mapped already, and point to it. Otherwise they copy to and from the owner's process by
 * system calls, if the system permits that. All other ranks send messages to the owner. */
#include "base/log.h"
#include "fabric/processes/cma.h"
#include "fabric/processes/collective.h"
#include "fabric/processes/node.h"
#include "fabric/processes/segment.h"

#include <stdlib.h>

/* The allocated segment in which a block lies, by its id, and where; 0: in none. */
typedef struct inside {
    uint64_t segment;
    size_t offset; /* in the owner's part */
} inside;

/* What a rank publishes about its memory. */
typedef struct offer {
    const sct_memory *blocks; /* in the owner's address space */
    int64_t count;
    sct_memory only; /* the block, if there is one */
    inside inside;   /* likewise */
} offer;

_Static_assert(sizeof(offer) <= SCT_POST_BYTES, "an offer is posted");

static const offer *offer_of(const sct_process *self, int seat) {
    return sct_process_posted(self, seat);
}

/* ---- This rank's part ---- */

/* The locks of a rank of the node for its wrapped blocks. */
static sct_bands *locks_of(const sct_process *self, int seat) {
    return (sct_bands *)self->locks->parts[seat].blocks->base;
}

/* The locks of wrapped blocks are the same for all segments, if they suffice. */
static sct_status part_wrap(int count, const sct_memory *blocks, sct_bands *locks,
                            sct_segment_part *part) {
    sct_status status = sct_part_describe(count, blocks, part);
    part->bands = locks;
    if (status != SCT_OK || count <= SCT_WRAP_LOCKS)
        return status;
    part->own_bands = true;
    part->bands = calloc((size_t)count, sizeof *part->bands);
    return part->bands ? SCT_OK : sct_no_memory("a segment");
}

static bool is_empty(const sct_memory *block) {
    return !block->base || block->lines == 0 || block->width == 0;
}

/* Finds the allocated segment in which this rank's block lies. The block is not empty. */
static inside find_inside(const sct_process *self, const sct_memory *block) {
    uintptr_t start = (uintptr_t)block->base;
    uintptr_t end = start + (size_t)(block->lines - 1) * block->pitch + block->width;
    for (const sct_segment *s = self->segments; s; s = s->next) {
        const sct_shared *shared = &s->parts[self->seat].shared;
        uintptr_t memory = (uintptr_t)shared->memory;
        if (memory && start >= memory && end <= memory + shared->bytes)
            return (inside){s->id, start - memory};
    }
    return (inside){.segment = 0};
}

/* Looks for the memory in allocated segments only if it is one block, because an offer has room for
 * one. */
static offer make_offer(const sct_process *self, const sct_segment *segment) {
    const sct_memory *blocks = segment->parts[self->seat].blocks;
    offer made = {.blocks = blocks, .count = segment->count};
    if (segment->count == 1) {
        made.only = *blocks;
        if (!is_empty(blocks))
            made.inside = find_inside(self, blocks);
    }
    return made;
}

/* Whether the others of the node have all of it mapped. */
static bool is_mapped(const offer *mine) {
    return mine->inside.segment > 0 || mine->count == 0 ||
           (mine->count == 1 && is_empty(&mine->only));
}

/* ---- The parts of others ---- */

/* Reads the addresses of another rank's blocks from its process. Returns false if this process must
 * send messages instead: the system forbids it to read the other's memory, there is no memory for
 * the addresses, or there are more blocks than shared locks. */
static bool part_find(pid_t owner, const offer *offered, sct_bands *locks, sct_segment_part *part) {
    size_t bytes = (size_t)offered->count * sizeof *part->cma;
    if (offered->count == 0)
        return true;
    if (offered->count > SCT_WRAP_LOCKS || !(part->cma = malloc(bytes)))
        return false;
    part->bands = locks;
    if (sct_cma_read(owner, (const char *)offered->blocks, (char *)part->cma, bytes))
        return true;
    free(part->cma);
    part->cma = NULL;
    return false;
}

/* Finds the blocks of all ranks of this node. Returns true if this rank has to send messages to any
 * other rank. */
static bool find_node(const sct_process *self, sct_segment *segment) {
    int refused = -1;
    for (int seat = 0; seat < self->node_count; seat++)
        if (seat != self->seat && !part_find(self->node[seat].pid, offer_of(self, seat),
                                             locks_of(self, seat), &segment->parts[seat]))
            refused = self->node[seat].rank;
    if (refused >= 0)
        sct_log_write(SCT_LOG_INFO, self->base.rank,
                      "wrapped memory of rank %d is reached by messages, as this process may not "
                      "read it, or it has too many blocks",
                      refused);
    return refused >= 0 || self->base.ranks_per_node < self->base.size;
}

static const sct_segment *segment_numbered(const sct_process *self, uint64_t id) {
    const sct_segment *found = self->segments;
    while (found && found->id != id)
        found = found->next;
    return found;
}

/* Points to another rank's block in a segment that is mapped here. */
static sct_status part_point(const sct_process *self, int seat, sct_segment_part *part) {
    const offer *offered = offer_of(self, seat);
    sct_memory block = offered->only;
    if (offered->inside.segment > 0) {
        const sct_segment *around = segment_numbered(self, offered->inside.segment);
        if (!around)
            return sct_fail(SCT_BAD_ARGUMENT,
                            "rank %d wraps memory of a matrix that this rank has destroyed",
                            self->node[seat].rank);
        block.base = around->parts[seat].shared.memory + offered->inside.offset;
    }
    part->bands = locks_of(self, seat);
    return sct_part_describe((int)offered->count, &block, part);
}

static sct_status point_to_node(const sct_process *self, sct_segment *segment) {
    sct_status status = SCT_OK;
    for (int seat = 0; seat < self->node_count && status == SCT_OK; seat++)
        if (seat != self->seat)
            status = part_point(self, seat, &segment->parts[seat]);
    segment->per_node = self->base.ranks_per_node;
    return status;
}

/* ---- The segment ---- */

/* Collective: makes the locks, and what collects transfers, once. */
static sct_status prepare(sct_process *self) {
    if (self->locks)
        return SCT_OK;
    sct_memory locks = {.lines = 1, .width = SCT_WRAP_LOCKS * sizeof(sct_bands)};
    sct_cma *made = NULL;
    sct_segment *segment = NULL;
    sct_status status = sct_cma_create(&made);
    sct_status opened = sct_process_segment_open(&self->base, 1, &locks, &segment);
    status = opened == SCT_OK ? sct_fabric_agree(&self->base, status) : opened;
    if (status == SCT_OK) {
        self->locks = segment;
        self->cma = made;
        return SCT_OK;
    }
    free(made);
    if (segment)
        sct_process_segment_close(segment);
    return status;
}

/* Collective: starts the service and offers the memory through it, if `any` rank needs that. */
static sct_status serve(sct_process *self, bool any, sct_segment *segment) {
    if (!any)
        return SCT_OK;
    sct_status status = sct_process_serve(self);
    return status == SCT_OK
               ? sct_fabric_agree(&self->base, sct_process_segment_offer(self, segment))
               : status;
}

/* Collective: ranks point to the memory of their node. */
static sct_status share_mapped(sct_process *self, sct_segment *segment) {
    sct_status status = sct_fabric_agree(&self->base, point_to_node(self, segment));
    bool others = self->base.ranks_per_node < self->base.size;
    return status == SCT_OK ? serve(self, others, segment) : status;
}

/* Collective: ranks reach the memory of their node through the system, if they can. */
static sct_status share_across(sct_process *self, sct_segment *segment) {
    uint64_t none = !find_node(self, segment);
    sct_status status = sct_process_reduce(&self->base, SCT_LEAST, &none, 1);
    return status == SCT_OK ? serve(self, !none, segment) : status;
}

/* Collective, also for ranks that have failed before. */
static sct_status share(sct_process *self, sct_status status, sct_segment *segment) {
    enum { SOUND, MAPPED, OUTSIDE, WORDS };
    uint64_t all[WORDS] = {[SOUND] = status == SCT_OK};
    if (status == SCT_OK) {
        const offer mine = make_offer(self, segment);
        sct_process_post(self, &mine, sizeof mine);
        all[MAPPED] = is_mapped(&mine);
        all[OUTSIDE] = mine.inside.segment == 0;
    }
    sct_status met = sct_process_reduce(&self->base, SCT_LEAST, all, WORDS);
    if (met != SCT_OK)
        return met;
    if (!all[SOUND])
        return sct_fabric_agree(&self->base, status);
    return all[MAPPED] && !all[OUTSIDE] ? share_mapped(self, segment) : share_across(self, segment);
}

sct_status sct_process_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment) {
    sct_process *self = sct_process_of(fabric);
    sct_segment *made = NULL;
    sct_status status = prepare(self);
    if (status != SCT_OK)
        return status;
    status = sct_process_segment_make(self, count, &made);
    if (status == SCT_OK) {
        sct_segment_part *own = sct_segment_own(made);
        made->per_node = 1;
        status = part_wrap(count, blocks, locks_of(self, self->seat), own);
    }
    status = sct_process_segment_finish(self, share(self, status, made), made);
    if (status == SCT_OK)
        *segment = made;
    return status;
}
