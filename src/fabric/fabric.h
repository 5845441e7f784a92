/* fabric.h - how one rank reaches another's memory: the contract of a back end.
 *
 * A segment is memory on every rank: on each a list of strided blocks, whose number and sizes may
 * differ by rank. A transfer names a rectangle of one rank's block: lines [line, line + lines), and
 * in each of them `width` bytes from byte `byte` on. Ranks within reach hand out pointers; beyond,
 * get and accumulate move data without the owner's help. Neither knows layouts, devices or plans.
 *
 * Ordering: transfers complete in any order, and are complete once waited for: a get has then
 * written its buffer, an accumulate has been applied at its owner. An accumulate is atomic for each
 * element with respect to other accumulates, and to nothing else.
 *
 * Transfers are waited for before their segment is closed. An empty rectangle names no memory: its
 * ticket is 0.
 *
 * Handles belong to one thread: the rank. */
#ifndef SCT_FABRIC_FABRIC_H
#define SCT_FABRIC_FABRIC_H

#include "base/near.h"
#include "base/status.h"
#include "base/type.h"

typedef struct sct_fabric sct_fabric;
typedef struct sct_segment sct_segment;

/* A strided block of bytes: `lines` lines of `width` bytes, `pitch` bytes apart. */
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

/* 0: complete already. */
typedef uint64_t sct_ticket;

typedef struct sct_fabric_ops {
    const char *name;
    /* Collective. Where a rank closes early the others fail, with its number, when they next meet,
     * and whenever they meet again. */
    void (*close)(sct_fabric *fabric);
    /* Collective. Allocates: fills in base and pitch of each of this rank's `count` blocks, aligned
     * to 64 bytes, dense (pitch = width). */
    sct_status (*segment_open)(sct_fabric *fabric, int count, sct_memory *blocks,
                               sct_segment **segment);
    /* Collective. The caller's memory; it stays the caller's. */
    sct_status (*segment_wrap)(sct_fabric *fabric, int count, const sct_memory *blocks,
                               sct_segment **segment);
    /* Collective. */
    void (*segment_close)(sct_segment *segment);
    /* The blocks of a rank if its memory can be pointed to, else NULL: as ranks_per_node has it, or
     * wrapped_per_node. Always there for the rank itself. */
    const sct_memory *(*peer)(const sct_segment *segment, int rank);
    /* Asynchronous; `to` has lines `pitch` bytes apart. Empty rectangles are allowed. */
    sct_status (*get)(sct_fabric *fabric, const sct_target *from, void *to, size_t pitch,
                      sct_ticket *ticket);
    /* Asynchronous; `from` must not change until the ticket is waited for. Not for f16 and bf16. */
    sct_status (*accumulate)(sct_fabric *fabric, sct_type type, const void *from, size_t pitch,
                             const sct_target *to, sct_ticket *ticket);
    sct_status (*wait)(sct_fabric *fabric, sct_ticket ticket);
    /* Whether a wait would return at once. */
    bool (*done)(sct_fabric *fabric, sct_ticket ticket);
    /* Collective. What was written before it is seen by all after it. */
    sct_status (*barrier)(sct_fabric *fabric);
    /* Collective: an allgather of `bytes` bytes of each rank; `mine` does not lie in `all`. */
    sct_status (*exchange)(sct_fabric *fabric, const void *mine, size_t bytes, void *all);
    /* Answers other ranks, where nobody else does: see needs_progress. May be NULL. */
    void (*progress)(sct_fabric *fabric);
} sct_fabric_ops;

/* What every fabric begins with. */
struct sct_fabric {
    const sct_fabric_ops *ops;
    int rank, size;
    int ranks_per_node;         /* ranks r and s are within reach if r / this == s / this */
    int wrapped_per_node;       /* likewise where memory was wrapped: that, or 1 */
    bool needs_progress;        /* others may be waiting while this rank computes */
    sct_path path;              /* that was taken, of several; SCT_PATH_AUTO: none yet */
    uint64_t bytes_got;         /* counted when a get is asked for from beyond reach */
    uint64_t bytes_accumulated; /* likewise, of targets on other ranks, near or far */
};

/* Collective. Every rank passes what it found; all return the finding and the reason of the lowest
 * rank that failed, or SCT_OK. */
SCT_API sct_status sct_fabric_agree(sct_fabric *fabric, sct_status status);

#endif
