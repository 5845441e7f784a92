/* event_queue.c - a binary heap of numbered events by time, which knows the place of each. */
#include "sim/event_queue.h"

#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

sct_status sct_event_queue_grow(sct_event_queue *queue, int64_t things) {
    int64_t *place = realloc(queue->place, (size_t)things * sizeof *place);
    queue->place = place ? place : queue->place;
    sct_event *heap = realloc(queue->heap, (size_t)things * sizeof *heap);
    queue->heap = heap ? heap : queue->heap;
    if (!place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld events", (long long)things);
    for (; queue->things < things; queue->things++)
        queue->place[queue->things] = -1;
    return SCT_OK;
}

void sct_event_queue_clear(sct_event_queue *queue) {
    free(queue->place);
    free(queue->heap);
    *queue = (sct_event_queue){.things = 0};
}

static bool before(sct_event x, sct_event y) {
    return x.time < y.time || (x.time == y.time && x.thing < y.thing);
}

static void put(sct_event_queue *queue, int64_t place, sct_event due) {
    queue->heap[place] = due;
    queue->place[due.thing] = place;
}

/* Moves an event up or down the heap from `place`. */
static void sift(sct_event_queue *queue, int64_t place, sct_event due) {
    const sct_event *heap = queue->heap;
    for (; place > 0 && before(due, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(queue, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < queue->count; place = child) {
        if (child + 1 < queue->count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], due))
            break;
        put(queue, place, heap[child]);
    }
    put(queue, place, due);
}

void sct_event_queue_set(sct_event_queue *queue, int64_t thing, double time) {
    int64_t place = queue->place[thing];
    sift(queue, place < 0 ? queue->count++ : place, (sct_event){time, thing});
}

void sct_event_queue_drop(sct_event_queue *queue, int64_t thing) {
    int64_t place = queue->place[thing];
    if (place < 0)
        return;
    queue->place[thing] = -1;
    sct_event last = queue->heap[--queue->count];
    if (last.thing != thing)
        sift(queue, place, last);
}

sct_event sct_event_queue_first(const sct_event_queue *queue) {
    return queue->count > 0 ? queue->heap[0] : (sct_event){INFINITY, -1};
}
