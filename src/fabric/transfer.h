/* transfer.h - copies one strided block, or adds it to another, in addressable memory.
 *
 * Additions to one block exclude each other by bands of lines, each with a lock. */
#ifndef SCT_FABRIC_TRANSFER_H
#define SCT_FABRIC_TRANSFER_H

#include "fabric/fabric.h"

#include <stdatomic.h>

enum { SCT_BANDS = 16 };

/* The locks of one block: each the process that holds it, 0 if it is free. */
typedef struct sct_bands {
    atomic_int taken[SCT_BANDS];
} sct_bands;

/* Called about once a second by an addition that waits for a lock. False: the world has failed, and
 * the rest of the addition is dropped. */
typedef struct sct_lock_wait {
    bool (*continues)(void *context);
    void *context;
} sct_lock_wait;

/* `lines` lines of `width` bytes; at least one line. */
typedef struct sct_transfer {
    const char *from;
    size_t from_pitch;
    char *to;
    size_t to_pitch;
    int64_t lines;
    size_t width;
    /* For an addition; NULL for a copy. `to` is line `line` of a block of `block_lines` lines.
     * Additions with different turns start at different bands. */
    sct_bands *bands;
    sct_type type;
    int64_t line, block_lines;
    int turn;
    const sct_lock_wait *wait; /* NULL: it waits for a lock without a limit */
} sct_transfer;

/* The transfer of a get from a rectangle of a block, and of an accumulate into one by rank `turn`.
 */
SCT_API sct_transfer sct_transfer_get(const sct_memory *block, const sct_rectangle *part, void *to,
                                      size_t pitch);
SCT_API sct_transfer sct_transfer_accumulate(const sct_memory *block, sct_bands *bands,
                                             const sct_rectangle *part, sct_type type,
                                             const void *from, size_t pitch, int turn);

/* The transfer of a rectangle of what another one transfers. */
sct_transfer sct_transfer_part(const sct_transfer *transfer, const sct_rectangle *rectangle);

SCT_API void sct_transfer_run(const sct_transfer *transfer);

/* Adds lines whose band is locked. */
typedef void sct_add_lines(void *adder, const sct_transfer *lines);
/* The usual way, for memory of this process. */
SCT_API void sct_transfer_add_lines(void *ignored, const sct_transfer *lines);
/* Runs an addition band by band, each part by `add`. */
SCT_API void sct_transfer_add(const sct_transfer *transfer, sct_add_lines *add, void *adder);

#endif
