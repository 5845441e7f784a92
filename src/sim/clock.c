/* clock.c - the heap of things by time. */
#include "sim/clock.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>

sct_status sct_clock_grow(sct_clock *clock, int64_t things) {
    double *time = realloc(clock->time, (size_t)things * sizeof *time);
    clock->time = time ? time : clock->time;
    int64_t *place = realloc(clock->place, (size_t)things * sizeof *place);
    clock->place = place ? place : clock->place;
    int64_t *heap = realloc(clock->heap, (size_t)things * sizeof *heap);
    clock->heap = heap ? heap : clock->heap;
    if (!time || !place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld events", (long long)things);
    for (; clock->things < things; clock->things++)
        clock->place[clock->things] = -1;
    return SCT_OK;
}

void sct_clock_clear(sct_clock *clock) {
    free(clock->time);
    free(clock->place);
    free(clock->heap);
    *clock = (sct_clock){.things = 0};
}

static bool before(const sct_clock *clock, int64_t x, int64_t y) {
    return clock->time[x] < clock->time[y] || (clock->time[x] == clock->time[y] && x < y);
}

static void put(sct_clock *clock, int64_t place, int64_t thing) {
    clock->heap[place] = thing;
    clock->place[thing] = place;
}

/* Moves the thing at a place up or down to where it belongs. */
static void sift(sct_clock *clock, int64_t place) {
    int64_t *heap = clock->heap, thing = heap[place];
    for (; place > 0 && before(clock, thing, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(clock, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < clock->count; place = child) {
        if (child + 1 < clock->count && before(clock, heap[child + 1], heap[child]))
            child++;
        if (!before(clock, heap[child], thing))
            break;
        put(clock, place, heap[child]);
    }
    put(clock, place, thing);
}

void sct_clock_set(sct_clock *clock, int64_t thing, double time) {
    clock->time[thing] = time;
    if (clock->place[thing] < 0)
        put(clock, clock->count++, thing);
    sift(clock, clock->place[thing]);
}

void sct_clock_drop(sct_clock *clock, int64_t thing) {
    int64_t place = clock->place[thing];
    if (place < 0)
        return;
    clock->place[thing] = -1;
    int64_t last = clock->heap[--clock->count];
    if (last == thing)
        return;
    put(clock, place, last);
    sift(clock, place);
}

int64_t sct_clock_first(const sct_clock *clock) {
    return clock->count > 0 ? clock->heap[0] : -1;
}
