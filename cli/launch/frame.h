/* frame.h - messages between launcher, hosts and ranks: a head and bytes, on a stream; and queues
 * of them, from which a descriptor takes what it can, so that this process need not wait for its
 * other side.
 *
 * A rank knows the first two kinds (src/api/launched.c). */
#ifndef CLI_LAUNCH_FRAME_H
#define CLI_LAUNCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may wait in several queues at once. */
struct parcel {
    int holders;
    size_t bytes;
    char data[];
};

/* All zero: empty. */
struct queue {
    struct parcel **parcels;
    int count, room;
    size_t written; /* of the first parcel */
    size_t bytes;   /* that wait */
};

/* Allocates a parcel, which the caller fills in and releases by parcel_drop. NULL: no memory. */
struct parcel *parcel_create(size_t bytes);
void parcel_drop(struct parcel *parcel);

/* False if there is no memory, or no parcel. */
bool queue_add(struct queue *queue, struct parcel *parcel);
/* Writes what the descriptor takes at once. On failure, which errno explains, returns false and
 * empties the queue. */
bool queue_flush(struct queue *queue, int fd);
void queue_clear(struct queue *queue);

enum frame_kind {
    FRAME_GATHER = 1, /* up: the bytes of the sender's ranks, as many of each */
    FRAME_ALL = 2,    /* down: those of all ranks */
    FRAME_FAIL = 3,   /* both ways: a rank is gone, so that ranks no longer meet */
    FRAME_START = 4,  /* down, to a host: what it is to start */
    FRAME_SIGNAL = 5, /* down, to a host: a signal for its ranks, as an int32_t */
    FRAME_ENDED = 6,  /* up, from a host: a struct frame_end */
    FRAME_OUTPUT = 7, /* up, from a host: what its ranks have printed */
    FRAME_READY = 8,  /* up, from a host, first: it can be reached */
    FRAME_LAST = FRAME_READY
};

struct frame_end {
    int32_t rank, status; /* as waitpid returns it */
};

struct frame {
    uint64_t kind, bytes;
    char *data; /* not sent; NULL: none */
};
enum { FRAME_HEAD = offsetof(struct frame, data) };

/* A frame of which only the first bytes may have arrived. All zero: none have. */
struct frame_part {
    struct frame frame;
    size_t got; /* bytes, with the head */
};

enum frame_came { FRAME_MORE, FRAME_WHOLE, FRAME_GONE };

/* A frame to be sent; without data, the caller fills in its bytes, after the head. NULL: no memory.
 */
struct parcel *frame_create(enum frame_kind kind, const void *data, size_t bytes);
/* Adds a frame to those that wait. False if there is no memory. */
bool frame_add(struct queue *queue, enum frame_kind kind, const void *data, size_t bytes);
/* Calls read once, so that it does not block if poll has reported input. FRAME_MORE: the frame is
 * not complete yet. FRAME_WHOLE: `frame` is complete, and the caller frees its data. FRAME_GONE:
 * the stream has ended or failed; if what arrived is not a frame, its kind is beyond FRAME_LAST. */
enum frame_came frame_read(int fd, struct frame_part *part, struct frame *frame);
/* Waits for a complete frame. Returns false if the stream ends or fails first. */
bool frame_receive(int fd, struct frame *frame);

#endif
