/* send.c - sends a piece: from where it lies if the wire can, otherwise from a buffer. */
#include "fabric/service/state.h"

/* Lines of at least this many bytes are cheaper to pass to the wire than to copy. */
enum { LONG_LINE = 1024 };

void sct_lines_pack(const sct_lines *lines, char *to) {
    sct_transfer_run(&(sct_transfer){.from = lines->first,
                                     .from_pitch = lines->pitch,
                                     .to = to,
                                     .to_pitch = lines->width,
                                     .lines = lines->count,
                                     .width = lines->width});
}

sct_status sct_service_send(sct_service *service, int rank, int kind, const sct_lines *lines,
                            char *buffer, sct_message *request) {
    sct_wire *wire = service->wire;
    size_t bytes = (size_t)lines->count * lines->width;
    if (lines->count == 1 || lines->pitch == lines->width)
        return wire->ops->send(wire, rank, kind, lines->first, bytes, request);
    if (wire->ops->send_lines && lines->width >= LONG_LINE)
        return wire->ops->send_lines(wire, rank, kind, lines, request);
    sct_lines_pack(lines, buffer);
    return wire->ops->send(wire, rank, kind, buffer, bytes, request);
}
