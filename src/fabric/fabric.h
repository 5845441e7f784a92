/* fabric.h - how a rank reaches the memory of others: the contract of a back end.
 *
 * A segment is memory on every rank: a list of strided blocks, whose number and sizes may differ by
 * rank. A transfer names a rectangle of one rank's block: lines [line, line + lines) and in each of
 * them `width` bytes from byte `byte` on. Near ranks hand out pointers to their blocks. For far
 * ranks, get and accumulate move data without a call by the owner. A fabric knows no layouts,
 * devices or plans.
 *
 * Transfers complete in any order. Once waited for, a get has written its buffer and an accumulate
 * has been applied at its owner. An accumulate is atomic per element with respect to other
 * accumulates only. Wait for transfers before their segment is closed. An empty rectangle touches
 * no memory; its ticket is 0.
 *
 * Handles belong to one thread, the rank. */
#ifndef SCT_FABRIC_FABRIC_H
#define SCT_FABRIC_FABRIC_H

#include "base/near.h"
#include "base/status.h"
#include "base/type.h"
#include "fabric/suspect.h"

typedef struct sct_fabric sct_fabric;
typedef struct sct_segment sct_segment;
typedef struct sct_stream sct_stream; /* of a rank's device */

/* A strided block: `lines` lines of `width` bytes, `pitch` bytes apart. */
typedef struct sct_memory {
    char *base;
    size_t pitch;
    int64_t lines;
    size_t width;
} sct_memory;

typedef struct sct_target {
    sct_segment *segment;
    int rank, block;
    int64_t line;
    size_t byte;
    int64_t lines;
    size_t width;
} sct_target;

static inline bool sct_target_is_empty(const sct_target *target) {
    return target->lines == 0 || target->width == 0;
}

/* 0: already complete. */
typedef uint64_t sct_ticket;

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
    /* Asynchronous. Lines of `to` are `pitch` bytes apart. Rectangles may be empty. */
    sct_status (*get)(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                      sct_ticket *ticket);
    /* Asynchronous. `from` must not change until the ticket is waited for. Not for f16 and bf16. */
    sct_status (*accumulate)(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_ticket *ticket);
    /* Whether the next two reach a segment on all ranks; ranks may have different answers. NULL:
     * never. */
    bool (*on_streams)(const sct_segment *segment);
    /* The same as commands of a stream, without tickets: in their order among its other commands,
     * and done when these are. All memory is such that the device can use it. */
    sct_status (*get_on)(sct_fabric *fabric, sct_stream *stream, const sct_target *from, void *to,
                         size_t pitch);
    sct_status (*accumulate_on)(sct_fabric *fabric, sct_stream *stream, sct_type type,
                                const void *from, size_t pitch, const sct_target *to);
    /* Collective. Each rank passes one stream. Whatever a rank submits to its device after this
     * call, on any stream, comes after what the streams of all ranks hold now. The host waits until
     * all ranks have made the call, but for no device. NULL: the fabric cannot do it. */
    sct_status (*order)(sct_fabric *fabric, sct_stream *stream);
    sct_status (*wait)(sct_fabric *fabric, sct_ticket ticket);
    /* True if waiting would not block. */
    bool (*done)(sct_fabric *fabric, sct_ticket ticket);
    /* Collective. Writes before it are visible to all ranks after it. */
    sct_status (*barrier)(sct_fabric *fabric);
    /* Collective: an allgather of `bytes` bytes per rank. `mine` must not lie within `all`. */
    sct_status (*exchange)(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
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

static inline bool sct_fabric_on_streams(const sct_fabric *fabric, const sct_segment *segment) {
    return fabric->ops->on_streams && fabric->ops->on_streams(segment);
}

/* Collective. Each rank passes its status. All return that of the lowest failed rank, with its
 * reason, or SCT_OK. */
SCT_API sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status);
/* The same; then, if no rank has failed, has what ranks submit later follow these streams, by
 * `order`. All ranks pass a stream, or all pass NULL: then they only agree. */
SCT_API sct_status sct_fabric_agree_in_order(sct_fabric *fabric, sct_status status,
                                             sct_stream *stream);

#endif
