/* fabric.h - how a rank reaches the memory of others: the contract of a back end.
 *
 * A segment is memory on every rank: a list of strided blocks, whose number and sizes may differ by
 * rank. A transfer names a rectangle of one rank's block. Near ranks hand out pointers to their
 * blocks. For far ranks, get and accumulate move data without a call by the owner. A fabric knows
 * no layouts, devices or plans.
 *
 * A transfer begins after what a stream of the rank's device holds when it is started, and once it
 * is reached a get has written its buffer, and an accumulate has been applied at its owner.
 * Transfers are reached in any order. An accumulate is atomic per element with respect to other
 * accumulates only. Wait for transfers before their segment is closed. An empty rectangle touches
 * no memory, and is reached at once.
 *
 * Handles belong to one thread, the rank. */
#ifndef SCT_FABRIC_FABRIC_H
#define SCT_FABRIC_FABRIC_H

#include "base/event.h"
#include "base/near.h"
#include "base/rectangle.h"
#include "base/status.h"
#include "base/type.h"
#include "fabric/suspect.h"

#include <stddef.h>
#include <stdint.h>

/* The least, or the bits that any has. A word may count several times: that changes neither. */
typedef enum sct_reduction { SCT_LEAST, SCT_ANY_BIT } sct_reduction;

static inline void sct_reduce_words(sct_reduction how, uint64_t *into, const uint64_t *from,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t least = from[i] < into[i] ? from[i] : into[i];
        into[i] = how == SCT_LEAST ? least : into[i] | from[i];
    }
}

/* A number that stands for a collective call and its size. Ranks compare it: it is the same if they
 * exchange the same number of bytes, or reduce the same number of words in the same way. */
enum { SCT_PAYLOADS = 3 };
static inline uint64_t sct_exchanged_payload(size_t bytes) {
    return (uint64_t)bytes * SCT_PAYLOADS + SCT_PAYLOADS - 1;
}

static inline uint64_t sct_reduced_payload(sct_reduction how, size_t count) {
    return (uint64_t)count * sizeof(uint64_t) * SCT_PAYLOADS + (uint64_t)how;
}

typedef struct sct_fabric sct_fabric;
typedef struct sct_segment sct_segment;
typedef struct sct_stream sct_stream;   /* of a rank's device */
typedef struct sct_pending sct_pending; /* see pending.h */

typedef struct sct_target {
    sct_segment *segment;
    int rank, block;
    sct_rectangle part; /* of the block */
} sct_target;

typedef struct sct_fabric_ops {
    const char *name;
    /* Collective. If a rank closes early, all later collective calls of the others fail and name
     * it. */
    void (*close)(sct_fabric *fabric);
    /* Collective. Allocates this rank's `count` blocks: sets base and pitch of each, aligned to 64
     * bytes and dense (pitch = width). */
    sct_status (*segment_open)(sct_fabric *fabric, int count, sct_memory *blocks,
                               sct_segment **segment);
    /* Collective. Uses the caller's memory, which remains the caller's. */
    sct_status (*segment_wrap)(sct_fabric *fabric, int count, const sct_memory *blocks,
                               sct_segment **segment);
    /* Collective. Transfers that the ranks have not waited for are completed first. */
    void (*segment_close)(sct_segment *segment);
    /* The blocks of a rank if they can be pointed to (according to per_node), else NULL. Never NULL
     * for the rank itself. */
    const sct_memory *(*peer)(const sct_segment *segment, int rank);
    /* The number R such that ranks r and s can point to each other's blocks if r / R == s / R; the
     * same on all ranks. It is ranks_per_node for allocated segments, and ranks_per_node or 1 for
     * wrapped ones. */
    int (*per_node)(const sct_segment *segment);
    bool transfers_are_commands; /* of streams; otherwise `stream` is NULL in what follows */
    /* Local: fails if a rank is gone. */
    sct_status (*check)(sct_fabric *fabric);
    /* What sct_fabric_get and sct_fabric_accumulate do once a transfer can begin. The rectangle is
     * not empty, and `reached` is all zeros: it stays so for a transfer that is reached at once. */
    sct_status (*get)(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                      size_t pitch, sct_event *reached);
    sct_status (*accumulate)(sct_fabric *fabric, sct_stream *stream, sct_type type,
                             const void *from, size_t pitch, const sct_target *to,
                             sct_event *reached);
    /* Collective. Each rank passes its status and a stream. Like sct_fabric_agree; and whatever a
     * rank starts after this call, on any stream, comes after what the streams of all ranks hold
     * now. A fabric whose transfers are commands has the devices wait; for any other the host waits
     * for its stream before the ranks agree. */
    sct_status (*order)(sct_fabric *fabric, sct_status status, sct_stream *stream);
    /* Collective. Writes before it are visible to all ranks after it. */
    sct_status (*barrier)(sct_fabric *fabric);
    /* Collective: an allgather of `bytes` bytes per rank. `mine` must not lie within `all`. */
    sct_status (*exchange)(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
    /* Collective: an allreduce, in place, which needs no memory. If it fails, the words may have
     * changed. */
    sct_status (*reduce)(sct_fabric *fabric, sct_reduction how, uint64_t *words, size_t count);
    /* Serves other ranks if only this thread can (needs_progress). May be NULL. */
    void (*progress)(sct_fabric *fabric);
} sct_fabric_ops;

/* The common part of every fabric. */
struct sct_fabric {
    const sct_fabric_ops *ops;
    int rank, size;
    int ranks_per_node;         /* ranks r and s are near if r / this == s / this */
    bool needs_progress;        /* other ranks depend on calls of progress while this rank computes
                                 */
    sct_path path;              /* the path in use; SCT_PATH_AUTO: none yet */
    bool processes;             /* each rank is one: addresses of others mean nothing to it */
    uint64_t bytes_got;         /* by gets from far ranks */
    uint64_t bytes_accumulated; /* by accumulates into other ranks, near or far */
    sct_wait_rules rules;       /* of waiting for others, equal on all ranks */
    sct_sign *sign;             /* where this rank shows its own; NULL: nobody looks */
    int calls;                  /* calls on the world that it is in, one within another */
    sct_pending *pending;       /* transfers that have not been waited for */
    uint64_t pended;            /* how many there have been */
    sct_event (*record)(sct_stream *stream); /* of the rank's device, whose streams are passed */
};

/* Around each call on the world in which others may wait for this rank. Calls may nest. */
static inline void sct_fabric_enter(sct_fabric *fabric) {
    if (fabric->calls++ == 0 && fabric->sign)
        atomic_fetch_add(fabric->sign, 1);
}

/* Returns the status of the call. */
static inline sct_status sct_fabric_leave(sct_fabric *fabric, sct_status status) {
    if (--fabric->calls == 0 && fabric->sign)
        atomic_fetch_add(fabric->sign, 1);
    return status;
}

/* Starts a get, whose lines in `to` are `pitch` bytes apart. It begins after the commands that have
 * been submitted to the stream (NULL: at once). It is complete when the event `reached` is reached
 * and the stream has run all commands that it then holds: a fabric whose transfers are commands
 * submits them to this stream, and sets `reached` to all zeros. */
SCT_API sct_status sct_fabric_get(sct_fabric *fabric, sct_stream *stream, const sct_target *from,
                                  void *to, size_t pitch, sct_event *reached);
/* Likewise. `from` must not change until then; if a stream is passed, it is memory that the device
 * can use. Not for f16 and bf16. */
SCT_API sct_status sct_fabric_accumulate(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                         const void *from, size_t pitch, const sct_target *to,
                                         sct_event *reached);

/* What a stream holds now. */
static inline sct_event sct_fabric_after(const sct_fabric *fabric, sct_stream *stream) {
    return stream ? fabric->record(stream) : (sct_event){.ops = NULL};
}

/* Collective. Each rank passes its status. All return that of the lowest failed rank, with its
 * reason, or SCT_OK. */
SCT_API sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status);

/* The lowest rank whose word differs from that of rank 0, and both words. */
typedef struct sct_odd_rank {
    int rank; /* 0: none */
    uint64_t word, word_of_0;
} sct_odd_rank;
/* Collective. */
SCT_API sct_status sct_fabric_find_odd(sct_fabric *fabric, uint64_t word, sct_odd_rank *odd);
/* The function `order` of fabrics without commands. */
sct_status sct_fabric_order_by_waiting(sct_fabric *fabric, sct_status status, sct_stream *stream);

#endif
