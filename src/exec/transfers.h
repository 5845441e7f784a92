/* transfers.h - the transfers that fill one slice, which a stream can wait for together.
 *
 * A transfer that is a command of the stream is in order with its other commands anyway. Any other
 * transfer has an event. A stream that joins the transfers comes after all these events: the device
 * waits for events of its own kind, and the host for any other. */
#ifndef SCT_EXEC_TRANSFERS_H
#define SCT_EXEC_TRANSFERS_H

#include "device/device.h"

/* `event` is an array of the caller, with room for the events of all transfers. */
typedef struct sct_transfers {
    sct_event *event;
    int64_t count;
} sct_transfers;

/* Adds the event of a transfer. */
void sct_transfers_add(sct_transfers *transfers, sct_event reached);
/* Lets the stream continue after all of them, and empties the list. */
sct_status sct_transfers_join(sct_transfers *transfers, const sct_device *device,
                              sct_stream *stream);

#endif
