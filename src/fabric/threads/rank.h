/* rank.h - what a rank of the threads fabric is, to the files that make it up.
 *
 * Ranks reach into each other's, and into each other's segments. So all of it lasts until the last
 * rank has left: that one frees it. */
#ifndef SCT_FABRIC_THREADS_RANK_H
#define SCT_FABRIC_THREADS_RANK_H

#include "fabric/barrier.h"
#include "fabric/fabric.h"
#include "fabric/threads/far_transfers.h"

typedef struct sct_threads {
    sct_fabric base;
    sct_barrier *barrier;
    sct_courier *courier;  /* NULL if all ranks are within reach */
    sct_segment *segments; /* that are not freed */
    bool retired;          /* after a rank has left: this one touches nobody's memory */
    const void *shown;     /* to the others, during an exchange */
    size_t shown_bytes;
    sct_status status; /* whether it could be made, and why not: for the others */
    char reason[SCT_REASON_BYTES];
    struct sct_threads *peers[];
} sct_threads;

static inline sct_threads *sct_threads_of(sct_fabric *fabric) {
    return (sct_threads *)fabric;
}

extern const sct_fabric_ops sct_threads_ops;

/* When a rank has left, and this one has nothing under way: nor will it have, then. */
void sct_threads_retire(sct_threads *self);

void sct_threads_close(sct_fabric *fabric);

#endif
