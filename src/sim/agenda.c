/* agenda.c - the heap of things by time. */
#include "sim/agenda.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>

sct_status sct_diary_grow(sct_diary *agenda, int64_t things) {
    double *time = realloc(agenda->time, (size_t)things * sizeof *time);
    agenda->time = time ? time : agenda->time;
    int64_t *place = realloc(agenda->place, (size_t)things * sizeof *place);
    agenda->place = place ? place : agenda->place;
    int64_t *heap = realloc(agenda->heap, (size_t)things * sizeof *heap);
    agenda->heap = heap ? heap : agenda->heap;
    if (!time || !place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld events", (long long)things);
    for (; agenda->things < things; agenda->things++)
        agenda->place[agenda->things] = -1;
    return SCT_OK;
}

void sct_diary_clear(sct_diary *agenda) {
    free(agenda->time);
    free(agenda->place);
    free(agenda->heap);
    *agenda = (sct_diary){.things = 0};
}

static bool before(const sct_diary *agenda, int64_t x, int64_t y) {
    return agenda->time[x] < agenda->time[y] || (agenda->time[x] == agenda->time[y] && x < y);
}

static void put(sct_diary *agenda, int64_t place, int64_t thing) {
    agenda->heap[place] = thing;
    agenda->place[thing] = place;
}

/* Moves the thing at a place up or down to where it belongs. */
static void sift(sct_diary *agenda, int64_t place) {
    int64_t *heap = agenda->heap, thing = heap[place];
    for (; place > 0 && before(agenda, thing, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(agenda, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < agenda->count; place = child) {
        if (child + 1 < agenda->count && before(agenda, heap[child + 1], heap[child]))
            child++;
        if (!before(agenda, heap[child], thing))
            break;
        put(agenda, place, heap[child]);
    }
    put(agenda, place, thing);
}

void sct_diary_set(sct_diary *agenda, int64_t thing, double time) {
    agenda->time[thing] = time;
    if (agenda->place[thing] < 0)
        put(agenda, agenda->count++, thing);
    sift(agenda, agenda->place[thing]);
}

void sct_diary_drop(sct_diary *agenda, int64_t thing) {
    int64_t place = agenda->place[thing];
    if (place < 0)
        return;
    agenda->place[thing] = -1;
    int64_t last = agenda->heap[--agenda->count];
    if (last == thing)
        return;
    put(agenda, place, last);
    sift(agenda, place);
}

int64_t sct_diary_first(const sct_diary *agenda) {
    return agenda->count > 0 ? agenda->heap[0] : -1;
}
