/* stretches.c - collects stretches and sorts them by owners. */
#include "layout/stretches.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

int sct_stretch_compare(const sct_stretch *l, const sct_stretch *r) {
    for (int side = 0; side < 2; side++)
        if (l->group[side] != r->group[side])
            return l->group[side] < r->group[side] ? -1 : 1;
    return l->range.lo < r->range.lo ? -1 : l->range.lo > r->range.lo;
}

static sct_status add(sct_stretches *all, const sct_stretch *one) {
    sct_stretch *list = sct_memory_grow(all->list, all->count, &all->room, sizeof *list);
    if (!list)
        return sct_no_memory("the slices of a plan");
    all->list = list;
    list[all->count++] = *one;
    return SCT_OK;
}

sct_status sct_stretches_collect(const sct_dimension *d, sct_stretches *all) {
    sct_cursor cursor;
    sct_stretch one;
    sct_status status = SCT_OK;
    sct_cursor_set(d, d->range.lo, &cursor);
    while (!status && sct_cursor_next(d, &cursor, &one))
        status = add(all, &one);
    return status;
}

static bool sorted(const sct_stretches *all) {
    for (int64_t i = 1; i < all->count; i++)
        if (sct_stretch_compare(&all->list[i - 1], &all->list[i]) > 0)
            return false;
    return true;
}

/* Counting sort by the groups of one side. next: scratch, one entry more than there are groups. */
static void deal(const sct_stretch *list, int64_t count, int side, int groups, int64_t *next,
                 sct_stretch *dealt) {
    memset(next, 0, ((size_t)groups + 1) * sizeof *next);
    for (int64_t i = 0; i < count; i++)
        next[list[i].group[side] + 1]++;
    for (int group = 0; group < groups; group++)
        next[group + 1] += next[group];
    for (int64_t i = 0; i < count; i++)
        dealt[next[list[i].group[side]]++] = list[i];
}

sct_status sct_stretches_sort(const sct_dimension *d, sct_stretches *all) {
    if (sorted(all))
        return SCT_OK;
    int groups[] = {d->axis[0]->coords, d->axis[1]->coords};
    sct_status status = SCT_OK;
    sct_stretch *other = malloc((size_t)all->count * sizeof *other);
    int64_t *next = malloc(((size_t)sct_max(groups[0], groups[1]) + 1) * sizeof *next);
    if (other && next) {
        deal(all->list, all->count, 1, groups[1], next, other);
        deal(other, all->count, 0, groups[0], next, all->list);
    } else {
        status = sct_no_memory("the slices of a plan");
    }
    free(next);
    free(other);
    return status;
}
