/* stage.h - how a service reaches memory that the host cannot: by commands that run in the
 * background and copy to or from the buffers of the service, or add from them. */
#ifndef SCT_FABRIC_SERVICE_STAGE_H
#define SCT_FABRIC_SERVICE_STAGE_H

#include "fabric/transfer.h"

enum { SCT_PIECE_MOST_BYTES = 1 << 18, SCT_OUTBOX_BYTES = 3 << 19 };

typedef struct sct_stage sct_stage;

/* A command in the background; 0: it has run. */
typedef uint64_t sct_staged;

typedef struct sct_stage_ops {
    /* Memory for buffers. NULL: out of memory. */
    void *(*alloc)(sct_stage *stage, size_t bytes);
    void (*release)(sct_stage *stage, void *memory);
    /* Whether the host cannot touch this memory. */
    bool (*is_apart)(sct_stage *stage, const void *memory);
    /* The outbox of a rank, of SCT_OUTBOX_BYTES: memory that is apart, from which transfers of
     * every rank can fetch. NULL: ranks have none, and what they add travels in messages. */
    char *(*outbox)(sct_stage *stage, int rank);
    /* Starts a transfer. One side of it is at most a piece, in a buffer or an outbox. */
    sct_status (*start)(sct_stage *stage, const sct_transfer *transfer, sct_staged *staged);
    /* Tells whether it has run. */
    sct_status (*test)(sct_stage *stage, sct_staged staged, bool *done);
    /* Waits for all that was started. */
    void (*drain)(sct_stage *stage);
} sct_stage_ops;

/* The common part of every stage. */
struct sct_stage {
    const sct_stage_ops *ops;
};

#endif
