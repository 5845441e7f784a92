/* rank.h - a rank of the threads fabric.
 *
 * Ranks use each other's state and segments, so all of it exists until the last rank has left and
 * frees it. */
#ifndef SCT_FABRIC_THREADS_RANK_H
#define SCT_FABRIC_THREADS_RANK_H

#include "fabric/barrier.h"
#include "fabric/fabric.h"

enum { SCT_SHOWN = 120 };

/* What a rank exchanges, for the others to read: a copy if it has at most SCT_SHOWN bytes, else its
 * address. */
typedef struct sct_shown {
    const void *large;
    char copy[SCT_SHOWN];
} sct_shown;

enum { SCT_MERGED = 15, SCT_MERGED_SETS = 3 };

/* What all ranks pass to a call, reduced: each merges its own words before they meet. So a
 * reduction takes each rank the same time, however many ranks there are. All bits are set at first.
 * A reduction by bits is stored as its complement: a bit is cleared if any rank has it. */
typedef struct sct_merged {
    atomic_uint_fast64_t least_payload;    /* see fabric.h */
    atomic_uint_fast64_t least_complement; /* of the payload */
    atomic_uint_fast64_t words[SCT_MERGED];
} sct_merged;

typedef struct sct_threads {
    sct_fabric base;
    sct_barrier *barrier;
    sct_segment *segments; /* segments not freed yet */
    bool retired;          /* a rank has left; this one touches nobody's memory any more */
    uint64_t turn;         /* counts calls */
    sct_shown shown[2];    /* of calls in turn */
    sct_merged merged[SCT_MERGED_SETS]; /* those of rank 0 are used, in turn */
    sct_sign sign;
    struct sct_threads *peers[];
} sct_threads;

static inline sct_threads *sct_threads_of(sct_fabric *fabric) {
    return (sct_threads *)fabric;
}

extern const sct_fabric_ops sct_threads_ops;

/* Collective: waits until all ranks have made the same call. */
sct_status sct_threads_meet(sct_threads *self, sct_barrier_call call);

/* Retires this rank after another has left, once it has nothing in flight. */
void sct_threads_retire(sct_threads *self);

#endif
