/* segment.c - opens, wraps and closes segments of the threads fabric.
 *
 * Each rank makes its own part; all agree that this succeeded; then they exchange pointers. */
#include "fabric/threads/segment.h"

#include "base/memory.h"
#include "fabric/dense.h"
#include "fabric/pending.h"
#include "fabric/threads/rank.h"

#include <assert.h>
#include <stdlib.h>

/* Frees this rank's part, which no other rank uses. */
static void segment_free(sct_segment *segment) {
    if (!segment)
        return;
    free(segment->blocks);
    free(segment->bands);
    free(segment->memory);
    free(segment);
}

static sct_status segment_make(sct_fabric *fabric, int count, const sct_memory *blocks,
                               sct_segment **segment) {
    assert(count >= 0);
    sct_segment *made = calloc(1, sizeof *made + (size_t)fabric->size * sizeof made->peers[0]);
    if (!made)
        return sct_no_memory("a segment");
    made->fabric = fabric;
    made->count = count;
    /* one more than needed, since calloc of none may return NULL */
    made->blocks = calloc((size_t)count + 1, sizeof *made->blocks);
    made->bands = calloc((size_t)count + 1, sizeof *made->bands);
    if (!made->blocks || !made->bands) {
        segment_free(made);
        return sct_fail(SCT_NO_MEMORY, "no memory for a segment of %d blocks", count);
    }
    for (int i = 0; i < count; i++)
        made->blocks[i] = blocks[i];
    *segment = made;
    return SCT_OK;
}

/* Allocates the blocks of a segment. */
static sct_status segment_fill(sct_segment *segment) {
    size_t bytes;
    sct_status status = sct_dense_bytes(segment->count, segment->blocks, &bytes);
    if (status != SCT_OK)
        return status;
    segment->memory = sct_memory_alloc(bytes);
    if (!segment->memory)
        return sct_fail(SCT_NO_MEMORY, "no memory for %zu bytes", bytes);
    sct_dense_place(segment->count, segment->blocks, segment->memory);
    return SCT_OK;
}

/* Collective. Frees the segment on failure. */
static sct_status segment_share(sct_fabric *fabric, sct_status status, sct_segment *segment) {
    status = sct_fabric_agree(fabric, status);
    if (status == SCT_OK)
        status = fabric->ops->exchange(fabric, &segment, sizeof segment, segment->peers);
    if (status != SCT_OK) {
        segment_free(segment);
        return status;
    }
    segment->next = sct_threads_of(fabric)->segments;
    sct_threads_of(fabric)->segments = segment;
    return SCT_OK;
}

sct_status sct_threads_segment_open(sct_fabric *fabric, int count, sct_memory *blocks,
                                    sct_segment **segment) {
    sct_segment *made = NULL;
    sct_status status = segment_make(fabric, count, blocks, &made);
    if (status == SCT_OK)
        status = segment_fill(made);
    status = segment_share(fabric, status, made);
    if (status != SCT_OK)
        return status;
    for (int i = 0; i < count; i++)
        blocks[i] = made->blocks[i];
    *segment = made;
    return SCT_OK;
}

sct_status sct_threads_segment_wrap(sct_fabric *fabric, int count, const sct_memory *blocks,
                                    sct_segment **segment) {
    sct_segment *made = NULL;
    sct_status status = segment_make(fabric, count, blocks, &made);
    status = segment_share(fabric, status, made);
    if (status == SCT_OK)
        *segment = made;
    return status;
}

void sct_threads_segment_close(sct_segment *segment) {
    sct_threads *self = sct_threads_of(segment->fabric);
    sct_pending_drain(segment->fabric);
    if (sct_threads_meet(self, SCT_TO_CLOSE) == SCT_OK) {
        sct_segment **link = &self->segments;
        while (*link != segment)
            link = &(*link)->next;
        *link = segment->next;
        segment_free(segment);
        return;
    }
    sct_threads_retire(self);
    /* the caller may free wrapped memory, but others may still be using it */
    if (!segment->memory)
        sct_barrier_await_retired(self->barrier);
}

void sct_threads_segments_free(sct_segment *first) {
    while (first) {
        sct_segment *next = first->next;
        segment_free(first);
        first = next;
    }
}

int sct_threads_segment_per_node(const sct_segment *segment) {
    return segment->fabric->ranks_per_node;
}

const sct_memory *sct_threads_segment_peer(const sct_segment *segment, int rank) {
    int per_node = sct_threads_segment_per_node(segment);
    bool near = sct_is_near(rank, segment->fabric->rank, per_node);
    return near ? segment->peers[rank]->blocks : NULL;
}
