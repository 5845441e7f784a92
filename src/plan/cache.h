/* cache.h - which slices of a matrix are in which slots of workspace.
 *
 * Pure bookkeeping, the same when a plan is counted and when it is run. A slice is known by where
 * it begins, in both dimensions; no two of a plan begin at one place. It is taken once for
 * each step that uses it and dropped after; it is kept until no later step uses it, or until room
 * is short, when the slice that was idle longest gives way. What is offered makes none give way. */
#ifndef SCT_PLAN_CACHE_H
#define SCT_PLAN_CACHE_H

#include "layout/pieces.h"

typedef struct sct_cached {
    sct_span first[2];
    int64_t uses; /* still to come; 0: the slot is empty */
    int pins;     /* taken and not yet dropped */
    uint64_t since;
    int64_t next; /* slot of the same bucket, or of those emptied; -1: none */
} sct_cached;

typedef struct sct_cache {
    int64_t count, room;
    bool grows;
    sct_cached *slot;
    int64_t *bucket; /* the first slot of each: slices by where they begin */
    int64_t buckets; /* a power of 2, no less than `room` */
    int64_t empty;   /* the first slot of those emptied */
    uint64_t clock;
    int64_t kept, pinned; /* now */
    int64_t most_kept, most_pinned;
} sct_cache;

/* With slots == 0 the cache grows as needed. */
sct_status sct_cache_create(int64_t slots, sct_cache *cache);
void sct_cache_clear(sct_cache *cache);
void sct_cache_reset(sct_cache *cache);

/* The slot of a slice that `uses` steps use in all; says whether it must be fetched. */
sct_status sct_cache_take(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *slot,
                          bool *fetch);
/* A slot for a slice that steps to come will take, if it has none and one is empty; says whether it
 * must be fetched. */
sct_status sct_cache_offer(sct_cache *cache, const sct_span first[2], int64_t uses, int64_t *slot,
                           bool *fetch);
void sct_cache_drop(sct_cache *cache, int64_t slot);

#endif
