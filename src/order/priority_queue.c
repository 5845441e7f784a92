/* priority_queue.c - a binary heap. */
#include "order/priority_queue.h"

#include "base/memory.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>

static bool before(sct_ranked x, sct_ranked y) {
    return x.key < y.key || (x.key == y.key && x.item < y.item);
}

sct_status sct_priority_queue_push(sct_priority_queue *heap, double key, int64_t item) {
    sct_ranked *at = sct_memory_grow(heap->at, heap->count, &heap->room, sizeof *at);
    if (!at)
        return sct_fail(SCT_NO_MEMORY, "no memory for a queue of %lld", (long long)heap->count + 1);
    heap->at = at;
    sct_ranked ranked = {key, item};
    int64_t hole = heap->count++;
    for (; hole > 0 && before(ranked, heap->at[(hole - 1) / 2]); hole = (hole - 1) / 2)
        heap->at[hole] = heap->at[(hole - 1) / 2];
    heap->at[hole] = ranked;
    return SCT_OK;
}

sct_ranked sct_priority_queue_pop(sct_priority_queue *heap) {
    sct_ranked first = heap->at[0], last = heap->at[--heap->count];
    int64_t hole = 0;
    for (int64_t child = 1; child < heap->count; child = 2 * hole + 1) {
        child += child + 1 < heap->count && before(heap->at[child + 1], heap->at[child]);
        if (!before(heap->at[child], last))
            break;
        heap->at[hole] = heap->at[child];
        hole = child;
    }
    heap->at[hole] = last;
    return first;
}

void sct_priority_queue_clear(sct_priority_queue *heap) {
    free(heap->at);
}
