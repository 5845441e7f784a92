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
static int64_t search(const sct_cache *cache, const int64_t piece[2], bool *found) {
    int64_t empty = -1, idle = -1;
    *found = false;
    for (int64_t i = 0; i < cache->count; i++) {
        const sct_cached *slot = &cache->slot[i];
        if (slot->uses == 0)
            empty = i;
        else if (slot->piece[0] == piece[0] && slot->piece[1] == piece[1]) {
            *found = true;
            return i;
        } else if (slot->pins == 0 && (idle < 0 || slot->since < cache->slot[idle].since))
            idle = i;
    }
    if (empty >= 0)
        return empty;
    return cache->grows || cache->count < cache->room ? -1 : idle;
}

sct_status sct_cache_take(sct_cache *cache, const int64_t piece[2], int64_t uses, int64_t *slot,
                          bool *fetch) {
    bool found;
    int64_t at = search(cache, piece, &found);
    if (at < 0) {
        sct_status status = cache->count < cache->room ? SCT_OK : grow(cache, 2 * cache->room);
        if (status)
            return status;
        at = cache->count++;
        cache->slot[at] = (sct_cached){.uses = 0};
    }
    sct_cached *entry = &cache->slot[at];
    if (!found) {
        cache->kept += entry->uses == 0;
        *entry = (sct_cached){.piece = {piece[0], piece[1]}, .uses = uses};
    }
    cache->pinned += entry->pins++ == 0;
    cache->most_kept = sct_max(cache->most_kept, cache->kept);
    cache->most_pinned = sct_max(cache->most_pinned, cache->pinned);
    *slot = at;
    *fetch = !found;
    return SCT_OK;
}

void sct_cache_drop(sct_cache *cache, int64_t slot) {
    sct_cached *entry = &cache->slot[slot];
    entry->since = ++cache->clock;
    cache->pinned -= --entry->pins == 0;
    cache->kept -= --entry->uses == 0;
}
