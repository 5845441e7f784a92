/* bounce.c - runs transfers of a service at once, or by bounce buffers. */
#include "fabric/service/state.h"

bool sct_service_is_device_only(const sct_service *service, const void *memory) {
    return service->bounce && sct_bounce_can_use(service->bounce, memory);
}

char *sct_service_outbox(const sct_service *service, int rank, int record) {
    const sct_bounce *bounce = service->bounce;
    bool has = bounce && bounce->outbox && record < service->max_pieces;
    return has ? bounce->outbox[rank] + (size_t)record * service->piece : NULL;
}

sct_status sct_service_start(sct_service *service, const sct_transfer *transfer,
                             sct_event *reached) {
    *reached = (sct_event){.ops = NULL};
    if (service->bounce)
        return sct_bounce_start(service->bounce, transfer, reached);
    sct_transfer_run(transfer);
    return SCT_OK;
}

/* Once an event is reached, waiting for it returns at once, with its status. This is no wait of the
 * host, and not counted as one. */
sct_status sct_service_test(sct_event event, bool *done) {
    *done = sct_event_done(event);
    return *done ? sct_event_wait(event) : SCT_OK;
}
