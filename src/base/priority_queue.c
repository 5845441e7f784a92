/* priority_queue.c - a binary heap, with the place of each item in it. */
#include "base/priority_queue.h"

#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

sct_status sct_priority_queue_grow(sct_priority_queue *queue, int64_t room) {
    int64_t *place = realloc(queue->place, (size_t)room * sizeof *place);
    queue->place = place ? place : queue->place;
    sct_keyed *heap = realloc(queue->heap, (size_t)room * sizeof *heap);
    queue->heap = heap ? heap : queue->heap;
    if (!place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld queued items", (long long)room);
    for (; queue->room < room; queue->room++)
        queue->place[queue->room] = -1;
    return SCT_OK;
}

void sct_priority_queue_clear(sct_priority_queue *queue) {
    free(queue->place);
    free(queue->heap);
    *queue = (sct_priority_queue){.room = 0};
}

static bool before(sct_keyed x, sct_keyed y) {
    return x.key < y.key || (x.key == y.key && x.item < y.item);
}

static void put(sct_priority_queue *queue, int64_t place, sct_keyed keyed) {
    queue->heap[place] = keyed;
    queue->place[keyed.item] = place;
}

/* Puts an item at `place`, or as far up or down the heap from there as its key demands. */
static void sift(sct_priority_queue *queue, int64_t place, sct_keyed keyed) {
    const sct_keyed *heap = queue->heap;
    for (; place > 0 && before(keyed, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(queue, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < queue->count; place = child) {
        if (child + 1 < queue->count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], keyed))
            break;
        put(queue, place, heap[child]);
    }
    put(queue, place, keyed);
}

void sct_priority_queue_set(sct_priority_queue *queue, int64_t item, double key) {
    int64_t place = queue->place[item];
    sift(queue, place < 0 ? queue->count++ : place, (sct_keyed){key, item});
}

void sct_priority_queue_drop(sct_priority_queue *queue, int64_t item) {
    int64_t place = queue->place[item];
    if (place < 0)
        return;
    queue->place[item] = -1;
    sct_keyed last = queue->heap[--queue->count];
    if (last.item != item)
        sift(queue, place, last);
}

sct_keyed sct_priority_queue_first(const sct_priority_queue *queue) {
    return queue->count > 0 ? queue->heap[0] : (sct_keyed){INFINITY, -1};
}
