/* bounce.h - the bounce buffers of a rank, with streams of its device that move pieces to and from
 * memory of the host, and add them, for memory that the host cannot touch. */
#ifndef SCT_FABRIC_BOUNCE_BOUNCE_H
#define SCT_FABRIC_BOUNCE_BOUNCE_H

#include "device/device.h"
#include "fabric/transfer.h"

#include <pthread.h>

enum { SCT_PIECE_MOST_BYTES = 1 << 18, SCT_OUTBOX_BYTES = 3 << 19 };

/* A piece is added from a buffer on the device, while the next one is moved into the other. */
enum { SCT_BOUNCE_BUFFERS = 2 };

/* The streams of bounce buffers. OUT moves data from the device to the host; IN, to the device.
 * BRING moves data that are to be added into a buffer on the device, from which ADD adds them. */
enum { SCT_BOUNCE_OUT, SCT_BOUNCE_IN, SCT_BOUNCE_ADD, SCT_BOUNCE_BRING, SCT_BOUNCE_STREAMS };

typedef struct sct_bounce {
    sct_device *device;
    pthread_mutex_t lock; /* of what follows: the rank and its service use it */
    sct_stream *stream[SCT_BOUNCE_STREAMS];
    char *buffer[SCT_BOUNCE_BUFFERS];
    sct_event emptied[SCT_BOUNCE_BUFFERS]; /* when what was in the buffer was added */
    int next;                              /* of the buffers */
    int rank, ranks;
    char **outbox; /* by rank, as moves of this device reach it; NULL: ranks have none */
} sct_bounce;

/* Close it also after a failure. */
sct_status sct_bounce_open(sct_bounce *bounce, sct_device *device);
/* Waits for what was started. */
void sct_bounce_close(sct_bounce *bounce);

/* Collective: makes an outbox for each rank, if their devices span hosts. */
sct_status sct_bounce_open_outboxes(sct_bounce *bounce, sct_fabric *ranks);

/* Starts a transfer between any memory of the host and the device. A copy may be of any size, and
 * so may an addition from memory of the device to other such memory. */
sct_status sct_bounce_start(sct_bounce *bounce, const sct_transfer *transfer, sct_event *reached);
/* Waits for all that was started. */
void sct_bounce_drain(sct_bounce *bounce);
/* Submits an addition between memory that the device can use: to a stream, or to that of all other
 * additions by bounce buffers, after an event of the device. */
sct_status sct_bounce_add(const sct_bounce *bounce, sct_stream *stream,
                          const sct_transfer *addition);
sct_status sct_bounce_add_after(sct_bounce *bounce, sct_event after, const sct_transfer *addition,
                                sct_event *reached);

static inline bool sct_bounce_can_use(const sct_bounce *bounce, const void *memory) {
    return bounce->device->ops->can_use(bounce->device, memory);
}

#endif
