/* pieces.c - moves pieces for a service: at once, or by bounce buffers; and to the wire, from
 * where a piece lies if the wire can, otherwise from a buffer. */
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

/* Lines of at least this many bytes are cheaper to pass to the wire than to copy. */
enum { LONG_LINE = 1024 };

void sct_lines_pack(const sct_memory *lines, char *to) {
    sct_transfer_run(&(sct_transfer){.from = lines->base,
                                     .from_pitch = lines->pitch,
                                     .to = to,
                                     .to_pitch = lines->width,
                                     .lines = lines->lines,
                                     .width = lines->width});
}

sct_status sct_service_send(sct_service *service, int rank, int kind, const sct_memory *lines,
                            char *buffer, sct_message *request) {
    sct_wire *wire = service->wire;
    size_t bytes = (size_t)lines->lines * lines->width;
    if (lines->lines == 1 || lines->pitch == lines->width)
        return wire->ops->send(wire, rank, kind, lines->base, bytes, request);
    if (wire->ops->send_lines && lines->width >= LONG_LINE)
        return wire->ops->send_lines(wire, rank, kind, lines, request);
    sct_lines_pack(lines, buffer);
    return wire->ops->send(wire, rank, kind, buffer, bytes, request);
}
