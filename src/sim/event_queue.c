/* event_queue.c - the heap of things by time. */
#include "sim/event_queue.h"

#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

sct_status sct_clock_grow(sct_clock *clock, int64_t things) {
    int64_t *place = realloc(clock->place, (size_t)things * sizeof *place);
    clock->place = place ? place : clock->place;
    sct_due *heap = realloc(clock->heap, (size_t)things * sizeof *heap);
    clock->heap = heap ? heap : clock->heap;
    if (!place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld events", (long long)things);
    for (; clock->things < things; clock->things++)
        clock->place[clock->things] = -1;
    return SCT_OK;
}

void sct_clock_clear(sct_clock *clock) {
    free(clock->place);
    free(clock->heap);
    *clock = (sct_clock){.things = 0};
}

static bool before(sct_due x, sct_due y) {
    return x.time < y.time || (x.time == y.time && x.thing < y.thing);
}

static void put(sct_clock *clock, int64_t place, sct_due due) {
    clock->heap[place] = due;
    clock->place[due.thing] = place;
}

/* Puts what belongs about at a place where it does belong: above or below. */
static void sift(sct_clock *clock, int64_t place, sct_due due) {
    const sct_due *heap = clock->heap;
    for (; place > 0 && before(due, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(clock, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < clock->count; place = child) {
        if (child + 1 < clock->count && before(heap[child + 1], heap[child]))
            child++;
        if (!before(heap[child], due))
            break;
        put(clock, place, heap[child]);
    }
    put(clock, place, due);
}

void sct_clock_set(sct_clock *clock, int64_t thing, double time) {
    int64_t place = clock->place[thing];
    sift(clock, place < 0 ? clock->count++ : place, (sct_due){time, thing});
}

void sct_clock_drop(sct_clock *clock, int64_t thing) {
    int64_t place = clock->place[thing];
    if (place < 0)
        return;
    clock->place[thing] = -1;
    sct_due last = clock->heap[--clock->count];
    if (last.thing != thing)
        sift(clock, place, last);
}

sct_due sct_clock_first(const sct_clock *clock) {
    return clock->count > 0 ? clock->heap[0] : (sct_due){INFINITY, -1};
}
