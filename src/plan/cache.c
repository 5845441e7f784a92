/* cache.c - a hash table of slots, keyed by the first indices of slices. */
#include "plan/cache.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* An odd multiplier with well-spread bits. */
static const uint64_t mix = 0x9e3779b97f4a7c15;

static int64_t *bucket_of(const sct_cache *cache, const sct_span first[2]) {
    uint64_t hash = 0;
    for (int i = 0; i < 2; i++) {
        hash = (hash ^ (uint64_t)first[i].at) * mix;
        hash = (hash ^ (uint64_t)first[i].coord) * mix;
    }
    return &cache->bucket[hash >> 32 & (uint64_t)(cache->buckets - 1)];
}

static void link_in(sct_cache *cache, int64_t at, int64_t *head) {
    cache->slot[at].next = *head;
    *head = at;
}

static void take_out(sct_cache *cache, int64_t at) {
    int64_t *link = bucket_of(cache, cache->slot[at].first);
    while (*link != at)
        link = &cache->slot[*link].next;
    *link = cache->slot[at].next;
}

static void empty_buckets(sct_cache *cache) {
    for (int64_t i = 0; i < cache->buckets; i++)
        cache->bucket[i] = -1;
}

static sct_status grow(sct_cache *cache, int64_t room) {
    int64_t buckets = cache->buckets ? cache->buckets : 1;
    while (buckets < room)
        buckets *= 2;
    sct_cached *slot = realloc(cache->slot, (size_t)room * sizeof *slot);
    cache->slot = slot ? slot : cache->slot;
    int64_t *bucket = realloc(cache->bucket, (size_t)buckets * sizeof *bucket);
    cache->bucket = bucket ? bucket : cache->bucket;
    if (!slot || !bucket)
        return sct_fail(SCT_NO_MEMORY, "no memory for a table of %lld slots", (long long)room);
    cache->room = room;
    cache->buckets = buckets;
    empty_buckets(cache);
    for (int64_t i = 0; i < cache->count; i++)
        if (cache->slot[i].uses > 0)
            link_in(cache, i, bucket_of(cache, cache->slot[i].first));
    return SCT_OK;
}

sct_status sct_cache_create(int64_t slots, sct_cache *cache) {
    *cache = (sct_cache){.grows = slots == 0, .empty = -1};
    return grow(cache, slots ? slots : 16);
}

void sct_cache_clear(sct_cache *cache) {
    free(cache->slot);
    free(cache->bucket);
}

void sct_cache_reset(sct_cache *cache) {
    cache->count = cache->kept = cache->pinned = 0;
    cache->most_kept = cache->most_pinned = 0;
    cache->clock = 0;
    cache->empty = -1;
    empty_buckets(cache);
}

static int64_t idle_longest(const sct_cache *cache) {
    int64_t idle = -1;
    for (int64_t i = 0; i < cache->count; i++) {
        const sct_cached *slot = &cache->slot[i];
        if (slot->pins == 0 && (idle < 0 || slot->since < cache->slot[idle].since))
            idle = i;
    }
    return idle;
}

/* The slot of the slice; else the best one for it: an empty one, else the least recently used one,
 * else none. */
static int64_t search(const sct_cache *cache, const sct_span first[2], bool *found) {
    int64_t at = *bucket_of(cache, first);
    while (at >= 0 && !(sct_span_same_place(&cache->slot[at].first[0], &first[0]) &&
                        sct_span_same_place(&cache->slot[at].first[1], &first[1])))
        at = cache->slot[at].next;
    *found = at >= 0;
    if (*found)
        return at;
    if (cache->empty >= 0)
        return cache->empty;
    return cache->grows || cache->count < cache->room ? -1 : idle_longest(cache);
}

/* Puts the slice into slot `at`; into a new one if `at` is negative. */
static sct_status place(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *at) {
    if (*at < 0) {
        sct_status status = cache->count < cache->room ? SCT_OK : grow(cache, 2 * cache->room);
        if (status)
            return status;
        *at = cache->count++;
        cache->kept++;
    } else if (*at == cache->empty) {
        cache->empty = cache->slot[*at].next;
        cache->kept++;
    } else {
        take_out(cache, *at);
    }
    cache->most_kept = sct_max(cache->most_kept, cache->kept);
    cache->slot[*at] =
        (sct_cached){.first = {first[0], first[1]}, .uses = uses, .since = ++cache->clock};
    link_in(cache, *at, bucket_of(cache, first));
    return SCT_OK;
}

sct_status sct_cache_take(sct_cache *cache, const sct_span first[2], int64_t uses, bool now,
                          int64_t *slot, bool *fetch) {
    bool found;
    int64_t at = search(cache, first, &found);
    bool more = cache->grows || cache->count < cache->room;
    bool missing = !found && (now || (at < 0 ? more : cache->slot[at].uses == 0));
    sct_status status = missing ? place(cache, first, uses, &at) : SCT_OK;
    if (status)
        return status;
    if (now) {
        cache->pinned += cache->slot[at].pins++ == 0;
        cache->most_pinned = sct_max(cache->most_pinned, cache->pinned);
    }
    *slot = at;
    *fetch = missing;
    return SCT_OK;
}

void sct_cache_drop(sct_cache *cache, int64_t slot) {
    sct_cached *entry = &cache->slot[slot];
    entry->since = ++cache->clock;
    cache->pinned -= --entry->pins == 0;
    if (--entry->uses > 0)
        return;
    cache->kept--;
    take_out(cache, slot);
    link_in(cache, slot, &cache->empty);
}
