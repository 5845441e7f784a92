/* cache.c - workspace slots compared with a model that keeps a list of slices. */
#include "plan/cache.h"

#include "support/check.h"

enum { SLICES = 12, MOST_SLOTS = 8, MOST_USES = 6, WINDOW = 6, CASES = 3000 };

/* The model's view of a slice. */
typedef struct slice {
    int64_t slot; /* -1: it is not there */
    int64_t uses; /* remaining uses */
    int pins;
    int dropped; /* when */
} slice;

typedef struct model {
    int64_t slots; /* 0: any number */
    slice slice[SLICES];
    int64_t kept, pinned, most_kept, most_pinned, fetched;
    int clock;
} model;

/* A sequence of takes. Each slice is dropped after `window` others have been taken. If `ahead` is
 * not 0, the slice taken `ahead` later is offered before each take. */
typedef struct sequence {
    int64_t uses[SLICES];
    int take[SLICES * MOST_USES];
    int takes, window, ahead;
} sequence;

/* Two slices may have the same start in one dimension, and the same coordinate or position in both.
 */
static void name_slice(int which, sct_span first[2]) {
    first[0] = (sct_span){.at = which / 6, .coord = which / 3 % 2};
    first[1] = (sct_span){.at = which % 3 / 2, .coord = which % 3 % 2};
}

static void make_sequence(uint64_t *random, sequence *s) {
    *s = (sequence){.window = (int)check_between(random, 1, WINDOW),
                    .ahead = (int)check_between(random, 0, WINDOW)};
    for (int i = 0; i < SLICES; i++) {
        s->uses[i] = check_between(random, 0, MOST_USES);
        for (int use = 0; use < s->uses[i]; use++) {
            int other = (int)check_between(random, 0, s->takes);
            s->take[s->takes++] = s->take[other];
            s->take[other] = i;
        }
    }
}

/* Evicts the slice that has been idle longest, as the contract says. */
static void model_evict(model *m) {
    slice *idle = NULL;
    for (int i = 0; i < SLICES; i++) {
        slice *s = &m->slice[i];
        if (s->slot >= 0 && s->pins == 0 && (!idle || s->dropped < idle->dropped))
            idle = s;
    }
    CHECK(idle != NULL);
    if (idle)
        idle->slot = -1;
    m->kept--;
}

/* Whether the slice must be fetched. */
static bool model_take(model *m, int which, int64_t uses) {
    slice *s = &m->slice[which];
    bool fetch = s->slot < 0;
    if (fetch && m->slots && m->kept == m->slots)
        model_evict(m);
    if (fetch) {
        m->kept++;
        m->fetched++;
        *s = (slice){.slot = 0, .uses = uses};
    }
    m->pinned += s->pins++ == 0;
    m->most_kept = m->kept > m->most_kept ? m->kept : m->most_kept;
    m->most_pinned = m->pinned > m->most_pinned ? m->pinned : m->most_pinned;
    return fetch;
}

/* An offer evicts no other slice. */
static bool model_offer(model *m, int which, int64_t uses) {
    slice *s = &m->slice[which];
    if (s->slot >= 0 || (m->slots && m->kept == m->slots))
        return false;
    m->kept++;
    m->fetched++;
    m->most_kept = m->kept > m->most_kept ? m->kept : m->most_kept;
    *s = (slice){.slot = 0, .uses = uses, .dropped = ++m->clock};
    return true;
}

static void model_drop(model *m, int which) {
    slice *s = &m->slice[which];
    s->dropped = ++m->clock;
    m->pinned -= --s->pins == 0;
    if (--s->uses == 0) {
        s->slot = -1;
        m->kept--;
    }
}

/* A slot belongs to one slice, and its number is below the number of slots. */
static bool slot_right(const model *m, int which) {
    int64_t slot = m->slice[which].slot;
    for (int i = 0; i < SLICES; i++)
        if (i != which && m->slice[i].slot == slot)
            return false;
    return slot >= 0 && slot < (m->slots ? m->slots : SLICES);
}

static void take(model *m, sct_cache *cache, int which, int64_t uses) {
    sct_span first[2];
    int64_t slot = -1, before = m->slice[which].slot;
    bool fetch;
    name_slice(which, first);
    CHECK(sct_cache_take(cache, first, uses, true, &slot, &fetch) == SCT_OK);
    bool expected = model_take(m, which, uses);
    CHECK_CASE(fetch == expected, "slice %d: fetch %d, expected %d", which, fetch, expected);
    CHECK(expected || slot == before);
    m->slice[which].slot = slot;
    CHECK_CASE(slot_right(m, which), "slice %d in slot %lld", which, (long long)slot);
    CHECK(cache->kept == m->kept && cache->pinned == m->pinned);
}

static void offer(model *m, sct_cache *cache, int which, int64_t uses) {
    sct_span name[2];
    int64_t slot = -1;
    bool fetch;
    name_slice(which, name);
    CHECK(sct_cache_take(cache, name, uses, false, &slot, &fetch) == SCT_OK);
    bool expected = model_offer(m, which, uses);
    CHECK_CASE(fetch == expected, "slice %d: fetch ahead %d, expected %d", which, fetch, expected);
    if (fetch) {
        m->slice[which].slot = slot;
        CHECK_CASE(slot_right(m, which), "slice %d in slot %lld", which, (long long)slot);
    }
    CHECK(cache->kept == m->kept && cache->pinned == m->pinned);
}

static void drop(model *m, sct_cache *cache, int which) {
    sct_cache_drop(cache, m->slice[which].slot);
    model_drop(m, which);
    CHECK(cache->kept == m->kept && cache->pinned == m->pinned);
}

static model run(const sequence *s, int64_t slots, sct_cache *cache) {
    model m = {.slots = slots};
    for (int i = 0; i < SLICES; i++)
        m.slice[i].slot = -1;
    for (int i = 0; i < s->takes + s->window; i++) {
        if (i >= s->window)
            drop(&m, cache, s->take[i - s->window]);
        int later = i + s->ahead;
        if (s->ahead && later < s->takes)
            offer(&m, cache, s->take[later], s->uses[s->take[later]]);
        if (i < s->takes)
            take(&m, cache, s->take[i], s->uses[s->take[i]]);
    }
    CHECK(cache->most_kept == m.most_kept && cache->most_pinned == m.most_pinned);
    return m;
}

static void test_case(uint64_t *random) {
    sequence s;
    sct_cache cache;
    make_sequence(random, &s);
    int64_t used = 0;
    for (int i = 0; i < SLICES; i++)
        used += s.uses[i] > 0;
    CHECK(sct_cache_create(0, &cache) == SCT_OK);
    model free_growth = run(&s, 0, &cache);
    CHECK(free_growth.fetched == used);
    CHECK(free_growth.kept == 0);
    sct_cache_reset(&cache);
    CHECK(run(&s, 0, &cache).fetched == used); /* as if it had been new */
    sct_cache_clear(&cache);
    int64_t least = free_growth.most_pinned, most = free_growth.most_kept;
    int64_t slots = check_between(random, least, most);
    CHECK(sct_cache_create(slots, &cache) == SCT_OK);
    model limited = run(&s, slots, &cache);
    CHECK(limited.fetched >= used && (slots < most || limited.fetched == used));
    sct_cache_clear(&cache);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0; i < CASES; i++)
        test_case(&random);
    return check_report("cache");
}
