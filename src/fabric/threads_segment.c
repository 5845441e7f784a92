/* threads_segment.c - opens, wraps and closes segments of the threads fabric.
 *
 * Each rank makes its own, all agree that it went well, then they exchange pointers. */
#include "fabric/threads_segment.h"

#include "base/checked.h"
#include "base/memory.h"
#include "fabric/threads_rank.h"

#include <assert.h>
#include <stdlib.h>

/* Frees what this rank made; nobody else uses it. */
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
        return sct_fail(SCT_NO_MEMORY, "no memory for a segment");
    made->fabric = fabric;
    made->count = count;
    /* One more than needed: with none, NULL would not say that memory has run out. */
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

/* The bytes that a dense block takes, up to where the next may begin. */
static bool block_bytes(const sct_memory *block, int64_t *bytes) {
    assert(block->lines >= 0);
    int64_t padded;
    if (block->width > INT64_MAX ||
        !sct_multiply_fits(block->lines, (int64_t)block->width, &padded) ||
        !sct_add_fits(padded, SCT_ALIGNMENT - 1, &padded))
        return false;
    *bytes = padded / SCT_ALIGNMENT * SCT_ALIGNMENT;
    return true;
}

/* Gives the blocks of a segment one allocation. */
static sct_status segment_fill(sct_segment *segment) {
    int64_t total = SCT_ALIGNMENT, bytes = 0; /* not 0, so that every base is a pointer */
    for (int i = 0; i < segment->count; i++) {
        if (!block_bytes(&segment->blocks[i], &bytes) || !sct_add_fits(total, bytes, &total))
            return sct_fail(SCT_TOO_LARGE, "the size of block %d does not fit in 64 bits", i);
    }
    segment->memory = sct_memory_alloc((size_t)total);
    if (!segment->memory)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld bytes", (long long)total);
    char *base = segment->memory;
    for (int i = 0; i < segment->count; i++) {
        sct_memory *block = &segment->blocks[i];
        block->base = base;
        block->pitch = block->width;
        block_bytes(block, &bytes);
        base += bytes;
    }
    return SCT_OK;
}

static void segment_list(sct_segment *segment) {
    sct_segment **first = &sct_threads_of(segment->fabric)->segments;
    segment->next = *first;
    if (*first)
        (*first)->previous = segment;
    *first = segment;
}

static void segment_unlist(sct_segment *segment) {
    if (segment->previous)
        segment->previous->next = segment->next;
    else
        sct_threads_of(segment->fabric)->segments = segment->next;
    if (segment->next)
        segment->next->previous = segment->previous;
}

/* Collective. Frees the segment on failure. */
static sct_status segment_share(sct_fabric *fabric, sct_status status, sct_segment *segment) {
    status = sct_fabric_agree(fabric, status);
    if (status == SCT_OK)
        status = fabric->ops->exchange(fabric, &segment, sizeof segment, segment->peers);
    if (status != SCT_OK)
        segment_free(segment);
    else
        segment_list(segment);
    return status;
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
    if (sct_barrier_wait(self->barrier, SCT_TO_CLOSE)) {
        segment_unlist(segment);
        segment_free(segment);
        return;
    }
    sct_threads_retire(self);
    /* The caller may free what it wrapped, but others may be in the middle of a product still. */
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

const sct_memory *sct_threads_segment_peer(const sct_segment *segment, int rank) {
    const sct_fabric *fabric = segment->fabric;
    bool near = sct_within_reach(rank, fabric->rank, fabric->ranks_per_node);
    return near ? segment->peers[rank]->blocks : NULL;
}
