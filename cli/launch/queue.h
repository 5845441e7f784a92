/* queue.h - messages to be written to a descriptor when its other side reads, so that this process
 * need not wait for that. */
#ifndef CLI_LAUNCH_QUEUE_H
#define CLI_LAUNCH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

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

/* The caller fills in the data, and drops the parcel in the end. NULL: no memory. */
struct parcel *parcel_create(size_t bytes);
void parcel_drop(struct parcel *parcel);

/* False if there is no memory, or no parcel. */
bool queue_add(struct queue *queue, struct parcel *parcel);
/* Writes what the descriptor takes at once. On failure, which errno explains, returns false and
 * empties the queue. */
bool queue_flush(struct queue *queue, int fd);
void queue_clear(struct queue *queue);

#endif
