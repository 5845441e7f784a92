/* cache.c - slots, by linear search: there are few. */
#include "plan/cache.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static sct_status grow(sct_cache *cache, int64_t room) {
    sct_cached *slot = realloc(cache->slot, (size_t)room * sizeof *slot);
    if (!slot)
        return sct_fail(SCT_NO_MEMORY, "no memory for a table of %lld slots", (long long)room);
    cache->slot = slot;
    cache->room = room;
    return SCT_OK;
}

sct_status sct_cache_create(int64_t slots, sct_cache *cache) {
    *cache = (sct_cache){.grows = slots == 0};
    return grow(cache, slots ? slots : 16);
}

void sct_cache_clear(sct_cache *cache) {
    free(cache->slot);
}

void sct_cache_reset(sct_cache *cache) {
    cache->count = cache->kept = cache->pinned = 0;
    cache->most_kept = cache->most_pinned = 0;
    cache->clock = 0;
}

/* The slot that holds the slice, else the best one to give to it: empty, else idle longest, else
 * none. */
static int64_t search(const sct_cache *cache, const sct_span first[2], bool *found) {
    int64_t empty = -1, idle = -1;
    *found = false;
    for (int64_t i = 0; i < cache->count; i++) {
        const sct_cached *slot = &cache->slot[i];
        if (slot->uses == 0)
            empty = i;
        else if (sct_span_same_place(&slot->first[0], &first[0]) &&
                 sct_span_same_place(&slot->first[1], &first[1])) {
            *found = true;
            return i;
        } else if (slot->pins == 0 && (idle < 0 || slot->since < cache->slot[idle].since))
            idle = i;
    }
    if (empty >= 0)
        return empty;
    return cache->grows || cache->count < cache->room ? -1 : idle;
}

/* Gives the slice the slot `at`; a new one, if that is negative. */
static sct_status place(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *at) {
    if (*at < 0) {
        sct_status status = cache->count < cache->room ? SCT_OK : grow(cache, 2 * cache->room);
        if (status)
            return status;
        *at = cache->count++;
        cache->slot[*at] = (sct_cached){.uses = 0};
    }
    sct_cached *entry = &cache->slot[*at];
    cache->kept += entry->uses == 0;
    cache->most_kept = sct_max(cache->most_kept, cache->kept);
    *entry = (sct_cached){.first = {first[0], first[1]}, .uses = uses, .since = ++cache->clock};
    return SCT_OK;
}

sct_status sct_cache_take(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *slot,
                          bool *fetch) {
    bool found;
    int64_t at = search(cache, first, &found);
    sct_status status = found ? SCT_OK : place(cache, first, uses, &at);
    if (status)
        return status;
    cache->pinned += cache->slot[at].pins++ == 0;
    cache->most_pinned = sct_max(cache->most_pinned, cache->pinned);
    *slot = at;
    *fetch = !found;
    return SCT_OK;
}

sct_status sct_cache_offer(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *slot,
                           bool *fetch) {
    bool found;
    int64_t at = search(cache, first, &found);
    bool more = cache->grows || cache->count < cache->room;
    bool room = !found && (at < 0 ? more : cache->slot[at].uses == 0);
    sct_status status = room ? place(cache, first, uses, &at) : SCT_OK;
    if (status)
        return status;
    *slot = at;
    *fetch = room;
    return SCT_OK;
}

void sct_cache_drop(sct_cache *cache, int64_t slot) {
    sct_cached *entry = &cache->slot[slot];
    entry->since = ++cache->clock;
    cache->pinned -= --entry->pins == 0;
    cache->kept -= --entry->uses == 0;
}
