/* transfers.h - transfers that make one slice, as one thing to come after.
 *
 * Those that are commands of a stream are part of what it holds. The others have events; a stream
 * that joins them holds them, too: a device follows events of its own, and the host waits for any
 * other. */
#ifndef SCT_EXEC_TRANSFERS_H
#define SCT_EXEC_TRANSFERS_H

#include "device/device.h"

/* The caller gives the room for events. */
typedef struct sct_transfers {
    sct_event *event;
    int64_t count;
} sct_transfers;

/* Adds what a transfer is reached by. */
void sct_transfers_add(sct_transfers *transfers, sct_event reached);
/* Has a stream come after all of them, of which none is left. */
sct_status sct_transfers_join(sct_transfers *transfers, const sct_device *device,
                              sct_stream *stream);

#endif
