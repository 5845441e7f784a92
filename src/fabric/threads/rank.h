/* rank.h - a rank of the threads fabric.
 *
 * Ranks use each other's state and segments, so all of it exists until the last rank has left and
 * frees it. */
#ifndef SCT_FABRIC_THREADS_RANK_H
#define SCT_FABRIC_THREADS_RANK_H

#include "fabric/barrier.h"
#include "fabric/fabric.h"

enum { SCT_SHOWN = 120 };

/* A rank's payload in a call, for the others to read: a copy if it has at most SCT_SHOWN bytes,
 * else its address. */
typedef struct sct_shown {
    uint64_t payload; /* see fabric.h */
    const void *large;
    union {
        char copy[SCT_SHOWN];
        uint64_t words[SCT_SHOWN / sizeof(uint64_t)];
    };
} sct_shown;

typedef struct sct_threads {
    sct_fabric base;
    sct_barrier *barrier;
    sct_segment *segments; /* segments not freed yet */
    bool retired;          /* a rank has left; this one touches nobody's memory any more */
    sct_shown shown[2];    /* of calls in turn */
    int turn;              /* which of the two the next call uses */
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
