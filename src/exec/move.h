/* move.h - brings a rectangle of a bound matrix into this rank's memory: copied, transposed or
 * added.
 *
 * What is within reach is read where it lies; what is beyond is got, straight to its place if that
 * will do, else through a buffer: into one half of it while the other is worked on. */
#ifndef SCT_EXEC_MOVE_H
#define SCT_EXEC_MOVE_H

#include "exec/binding.h"

enum { SCT_MOST_MOVES = 64, SCT_MOVE_ROOMS = 2 };

typedef struct sct_move {
    sct_work work; /* SCT_DO_COPY, SCT_DO_TRANSPOSE or SCT_DO_ADD */
    bool conjugate;
    const sct_bound *from;
    sct_place place;
    int64_t line, at, lines, count;
    const sct_memory *to; /* a block of this rank */
    int64_t to_line, to_at;
} sct_move;

/* A part of the buffer, and what is on its way there. */
typedef struct sct_room {
    bool busy;
    sct_move move;
    int64_t line, at, lines, count, ld; /* the part of the move */
    char *memory;
    sct_ticket ticket;
} sct_room;

typedef struct sct_mover {
    sct_site site;
    sct_stream *stream;
    char *buffer;
    size_t
        buffer_bytes; /* at least one element, if anything is beyond reach and not merely copied */
    sct_room room[SCT_MOVE_ROOMS];
    int next;                          /* room */
    sct_ticket ticket[SCT_MOST_MOVES]; /* of gets straight to their place */
    int tickets;
} sct_mover;

/* May return before the work is done. */
sct_status sct_mover_start(sct_mover *mover, const sct_move *move);
/* Waits for all that was started. */
sct_status sct_mover_finish(sct_mover *mover);

#endif
