/* cache.h - which slices of a matrix are in which slots of workspace.
 *
 * Pure bookkeeping, identical when a plan is counted, run and simulated. A slice is identified by
 * its first indices in both dimensions. It is taken once for each step that uses it and dropped
 * after the step. It stays until its last use, or until slots run out: then the least recently used
 * slice is evicted. A prefetch evicts nothing. */
#ifndef SCT_PLAN_CACHE_H
#define SCT_PLAN_CACHE_H

#include "layout/pieces.h"

typedef struct sct_cached {
    sct_span first[2];
    int64_t uses; /* remaining uses; 0: the slot is empty */
    int pins;     /* steps that have taken it and not dropped it */
    uint64_t since;
    int64_t next; /* next slot in the same bucket, or in the free list; -1: none */
} sct_cached;

typedef struct sct_cache {
    int64_t count, room;
    bool grows;
    sct_cached *slot;
    int64_t *bucket; /* hash table: first slot of each bucket */
    int64_t buckets; /* a power of 2, at least `room` */
    int64_t empty;   /* head of the free list */
    uint64_t clock;
    int64_t kept, pinned; /* current numbers */
    int64_t most_kept, most_pinned;
} sct_cache;

/* With slots == 0 the cache grows as needed. */
sct_status sct_cache_create(int64_t slots, sct_cache *cache);
void sct_cache_clear(sct_cache *cache);
void sct_cache_reset(sct_cache *cache);

/* Finds a slot for a slice that `uses` steps use in total, and returns whether the slice must be
 * fetched into it. With `now`, a step is about to use the slice, which then keeps its slot until
 * sct_cache_drop. Without, the slice is to be fetched ahead of its use: it gets a slot only if it
 * has one or if one is empty, and may lose it again. */
sct_status sct_cache_take(sct_cache *cache, const sct_span first[2], int64_t uses, bool now,
                          int64_t *slot, bool *fetch);
void sct_cache_drop(sct_cache *cache, int64_t slot);

#endif
