/* diary.c - the heap of things by time. */
#include "sim/diary.h"

#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>

sct_status sct_diary_grow(sct_diary *diary, int64_t things) {
    double *time = realloc(diary->time, (size_t)things * sizeof *time);
    diary->time = time ? time : diary->time;
    int64_t *place = realloc(diary->place, (size_t)things * sizeof *place);
    diary->place = place ? place : diary->place;
    int64_t *heap = realloc(diary->heap, (size_t)things * sizeof *heap);
    diary->heap = heap ? heap : diary->heap;
    if (!time || !place || !heap)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld events", (long long)things);
    for (; diary->things < things; diary->things++)
        diary->place[diary->things] = -1;
    return SCT_OK;
}

void sct_diary_clear(sct_diary *diary) {
    free(diary->time);
    free(diary->place);
    free(diary->heap);
    *diary = (sct_diary){.things = 0};
}

static bool before(const sct_diary *diary, int64_t x, int64_t y) {
    return diary->time[x] < diary->time[y] || (diary->time[x] == diary->time[y] && x < y);
}

static void put(sct_diary *diary, int64_t place, int64_t thing) {
    diary->heap[place] = thing;
    diary->place[thing] = place;
}

/* Moves the thing at a place up or down to where it belongs. */
static void sift(sct_diary *diary, int64_t place) {
    int64_t *heap = diary->heap, thing = heap[place];
    for (; place > 0 && before(diary, thing, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(diary, place, heap[(place - 1) / 2]);
    for (int64_t child; (child = 2 * place + 1) < diary->count; place = child) {
        if (child + 1 < diary->count && before(diary, heap[child + 1], heap[child]))
            child++;
        if (!before(diary, heap[child], thing))
            break;
        put(diary, place, heap[child]);
    }
    put(diary, place, thing);
}

void sct_diary_set(sct_diary *diary, int64_t thing, double time) {
    diary->time[thing] = time;
    if (diary->place[thing] < 0)
        put(diary, diary->count++, thing);
    sift(diary, diary->place[thing]);
}

void sct_diary_drop(sct_diary *diary, int64_t thing) {
    int64_t place = diary->place[thing];
    if (place < 0)
        return;
    diary->place[thing] = -1;
    int64_t last = diary->heap[--diary->count];
    if (last == thing)
        return;
    put(diary, place, last);
    sift(diary, place);
}

int64_t sct_diary_first(const sct_diary *diary) {
    return diary->count > 0 ? diary->heap[0] : -1;
}
