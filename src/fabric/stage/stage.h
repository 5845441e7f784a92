/* stage.h - the stage of a rank: streams of its device that move pieces to and from memory of the
 * host, and add them, for memory that the host cannot touch. */
#ifndef SCT_FABRIC_STAGE_STAGE_H
#define SCT_FABRIC_STAGE_STAGE_H

#include "device/device.h"
#include "fabric/transfer.h"

#include <pthread.h>

enum { SCT_PIECE_MOST_BYTES = 1 << 18, SCT_OUTBOX_BYTES = 3 << 19 };

/* A piece is added from a buffer on the device, while the next one is moved into the other. */
enum { SCT_STAGE_BUFFERS = 2 };

/* The streams of a stage. OUT moves data from the device to the host; IN, to the device. BRING
 * moves data that are to be added into a buffer on the device, from which ADD adds them. */
enum { SCT_STAGE_OUT, SCT_STAGE_IN, SCT_STAGE_ADD, SCT_STAGE_BRING, SCT_STAGE_STREAMS };

typedef struct sct_stage {
    sct_device *device;
    pthread_mutex_t lock; /* of what follows: the rank and its service use it */
    sct_stream *stream[SCT_STAGE_STREAMS];
    char *buffer[SCT_STAGE_BUFFERS];
    sct_event emptied[SCT_STAGE_BUFFERS]; /* when what was in the buffer was added */
    int next;                             /* of the buffers */
    int rank, ranks;
    char **outbox; /* by rank, as moves of this device reach it; NULL: ranks have none */
} sct_stage;

/* Close it also after a failure. */
sct_status sct_stage_open(sct_stage *stage, sct_device *device);
/* Waits for what was started. */
void sct_stage_close(sct_stage *stage);

/* Collective: makes an outbox for each rank, if their devices span hosts. */
sct_status sct_stage_open_outboxes(sct_stage *stage, sct_fabric *ranks);
void sct_stage_close_outboxes(sct_stage *stage);
bool sct_stage_in_outbox(const sct_stage *stage, const void *memory);

/* Starts a transfer between any memory of the host and the device. A copy may be of any size, and
 * so may an addition from memory of the device to other such memory. */
sct_status sct_stage_start(sct_stage *stage, const sct_transfer *transfer, sct_event *reached);
/* Waits for all that was started. */
void sct_stage_drain(sct_stage *stage);
/* Submits an addition between memory that the device can use: to a stream, or to that of all other
 * additions of the stage, after an event of the device. */
sct_status sct_stage_add(const sct_stage *stage, sct_stream *stream, const sct_transfer *addition);
sct_status sct_stage_add_after(sct_stage *stage, sct_event after, const sct_transfer *addition,
                               sct_event *reached);

static inline bool sct_stage_can_use(const sct_stage *stage, const void *memory) {
    return stage->device->ops->can_use(stage->device, memory);
}

#endif
