/* collective_call.h - what ranks compare when a collective call begins, and when a run of a job
 * ends: whether all is well, and which call it is. */
#ifndef SCT_EXEC_COLLECTIVE_CALL_H
#define SCT_EXEC_COLLECTIVE_CALL_H

#include "base/type.h"
#include "fabric/fabric.h"

/* A deferred run is one whose end the host does not wait for. */
typedef enum sct_call_kind {
    SCT_CALL_REQUEST,
    SCT_CALL_RUN,
    SCT_CALL_DEFERRED_RUN,
    SCT_CALL_GATHER
} sct_call_kind;

typedef struct sct_collective_call {
    sct_status status;
    sct_call_kind kind;
    uint64_t number; /* the hash of the request, the number of the job, or the bytes to gather */
    sct_scalar alpha, beta; /* of a run */
    int64_t slices;         /* of a request for a product: of C, that the rank will accumulate */
} sct_collective_call;

/* What the calls of all ranks have in common. */
typedef struct sct_common {
    bool number, factors; /* equal on all ranks */
    int64_t slices;       /* the most of any rank */
} sct_common;

/* Collective: one reduction, unless something is wrong. Fails on all ranks if any passes a failure,
 * with that of the lowest such rank, or if they make calls of several kinds. */
sct_status sct_calls_compare(sct_fabric *fabric, const sct_collective_call *mine,
                             sct_common *common);

#endif
