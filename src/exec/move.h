/* move.h - moves a rectangle of a bound matrix into local memory: copied, transposed or added.
 *
 * Near memory is read in place. Far memory is fetched, directly to its place if possible, else
 * through a buffer with two halves: one is filled while the other is processed.
 *
 * Either side may be memory that the device cannot use. Its commands then move bytes from and to
 * it, but cannot change elements there, so that such elements go through the buffer, too: one
 * stream fills its halves, one changes what is in them, and one empties them. */
#ifndef SCT_EXEC_MOVE_H
#define SCT_EXEC_MOVE_H

#include "device/device.h"
#include "exec/binding.h"

enum { SCT_MOST_MOVES = 256, SCT_MOVE_ROOMS = 2 };

/* The transfers that fill one slice, which a stream can wait for together.
 *
 * A transfer that is a command of the stream is in order with its other commands anyway. Any other
 * transfer has an event. A stream that joins the transfers comes after all these events: the device
 * waits for events of its own kind, and the host for any other.
 *
 * `event` is an array of the caller, with room for the events of all transfers. */
typedef struct sct_transfers {
    sct_event *event;
    int64_t count;
} sct_transfers;

/* Adds the event of a transfer. */
void sct_transfers_add(sct_transfers *transfers, sct_event reached);
/* Lets the stream continue after all of them, and empties the list. */
sct_status sct_transfers_join(sct_transfers *transfers, const sct_device *device,
                              sct_stream *stream);

typedef struct sct_move {
    sct_work work; /* SCT_DO_COPY, SCT_DO_TRANSPOSE or SCT_DO_ADD */
    bool conjugate;
    const sct_bound *from;
    sct_place place;
    int64_t line, at, lines, count;
    const sct_memory *to; /* a local block */
    int64_t to_line, to_at;
} sct_move;

/* A part of a move. */
typedef struct sct_part_moved {
    sct_move move;
    int64_t line, at, lines, count; /* of the move */
    char *memory;                   /* where it is, with lines of `ld` elements */
    int64_t ld;
} sct_part_moved;

/* A half of the buffer. */
typedef struct sct_room {
    bool holds; /* a part that is not processed yet */
    sct_part_moved part;
    sct_transfers transfers; /* that bring the part */
    sct_event event[2];      /* the room for them */
    sct_event emptied;       /* after which commands may fill it again */
} sct_room;

typedef struct sct_mover {
    sct_exec_context context;
    sct_stream *stream, *fills, *empties; /* the last two are opened when they are needed */
    bool defers; /* the host does not wait: moves are done when the stream is */
    char *buffer;
    size_t buffer_bytes; /* at least one element, if far memory is transposed or added */
    sct_room room[SCT_MOVE_ROOMS];
    size_t room_bytes;  /* of each room */
    int rooms, next;    /* the number of rooms, and the next one */
    sct_transfers gets; /* to their place */
    sct_event event[SCT_MOST_MOVES];
} sct_mover;

/* Starts a move; may return before it is done. */
sct_status sct_mover_start(sct_mover *mover, const sct_move *move);
/* Waits for all moves, unless the mover defers them. */
sct_status sct_mover_finish(sct_mover *mover);
/* Closes what moves have opened. The stream and the buffer are the caller's. */
void sct_mover_close(sct_mover *mover);

#endif
