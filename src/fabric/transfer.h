/* transfer.h - one strided block copied or added to another, in memory that can be pointed to.
 *
 * Adds to one block exclude each other by bands of its lines, each of which has a lock. */
#ifndef SCT_FABRIC_TRANSFER_H
#define SCT_FABRIC_TRANSFER_H

#include "base/type.h"

#include <stdatomic.h>

enum { SCT_BANDS = 16 };

/* The locks of one block; all zero: free. */
typedef struct sct_bands {
    atomic_int taken[SCT_BANDS];
} sct_bands;

/* `lines` lines of `width` bytes; lines >= 1. */
typedef struct sct_transfer {
    const char *from;
    size_t from_pitch;
    char *to;
    size_t to_pitch;
    int64_t lines;
    size_t width;
    /* Of an add; for a copy `bands` is NULL. `to` is line `line` of a block of `block_lines` lines.
     * Adds with different turns begin at different bands. */
    sct_bands *bands;
    sct_type type;
    int64_t line, block_lines;
    int turn;
} sct_transfer;

SCT_API void sct_transfer_run(const sct_transfer *transfer);

#endif
