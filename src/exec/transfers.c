/* transfers.c - a list of events. */
#include "exec/transfers.h"

static bool is_same(sct_event one, sct_event other) {
    return one.ops == other.ops && one.of == other.of && one.number == other.number;
}

void sct_transfers_add(sct_transfers *transfers, sct_event reached) {
    int64_t last = transfers->count - 1;
    if (reached.ops && (last < 0 || !is_same(transfers->event[last], reached)))
        transfers->event[transfers->count++] = reached;
}

sct_status sct_transfers_join(sct_transfers *transfers, const sct_device *device,
                              sct_stream *stream) {
    sct_status status = SCT_OK;
    for (int64_t i = 0; i < transfers->count; i++) {
        sct_status followed = device->ops->follow(stream, transfers->event[i]);
        status = status ? status : followed;
    }
    transfers->count = 0;
    return status;
}
