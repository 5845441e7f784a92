/* move.h - moves a rectangle of a bound matrix into local memory: copied, transposed or added.
 *
 * Near memory is read in place. Far memory is fetched, directly to its place if possible, else
 * through a buffer with two halves: one is filled while the other is processed.
 *
 * With devices, either side may be memory of the host. Then the device moves and changes elements,
 * by commands of streams; only what another process has is fetched by the host. Commands that
 * change elements cannot use memory of the host, so that such elements go through the buffer, too:
 * one stream fills its halves, one changes what is in them, and one empties them. */
#ifndef SCT_EXEC_MOVE_H
#define SCT_EXEC_MOVE_H

#include "exec/binding.h"

enum { SCT_MOST_MOVES = 256, SCT_MOVE_ROOMS = 2 };

typedef struct sct_move {
    sct_work work; /* SCT_DO_COPY, SCT_DO_TRANSPOSE or SCT_DO_ADD */
    bool conjugate;
    const sct_bound *from;
    sct_place place;
    int64_t line, at, lines, count;
    const sct_memory *to; /* a local block */
    int64_t to_line, to_at;
} sct_move;

/* A part of the buffer, and the get in flight into it. */
typedef struct sct_room {
    bool busy;
    sct_move move;
    int64_t line, at, lines, count, ld; /* its part of the move */
    char *memory;
    sct_ticket ticket;
} sct_room;

typedef struct sct_mover {
    sct_site site;
    sct_stream *stream, *fills, *empties; /* the last two are opened when they are needed */
    bool defers; /* moves are done when the stream is; only where all of it is on the stream */
    char *buffer;
    size_t buffer_bytes; /* at least one element, if far memory is transposed or added */
    sct_room room[SCT_MOVE_ROOMS];
    size_t room_bytes;                 /* of each part of the buffer */
    int rooms, next;                   /* the number of parts, and the next one */
    sct_event emptied[SCT_MOVE_ROOMS]; /* after which commands may fill a part again */
    sct_ticket ticket[SCT_MOST_MOVES]; /* tickets of direct gets */
    int tickets;
} sct_mover;

/* Starts a move; may return before it is done. */
sct_status sct_mover_start(sct_mover *mover, const sct_move *move);
/* Waits for all moves, unless the mover defers them. */
sct_status sct_mover_finish(sct_mover *mover);
/* Closes what moves have opened. The stream and the buffer are the caller's. */
void sct_mover_close(sct_mover *mover);

#endif
