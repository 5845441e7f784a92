/* request.c - sends requests: gets and accumulates, split into pieces.
 *
 * Pieces are sent in the order of the requests, except those for a rank that already has as many
 * pieces in flight as allowed. */
#include "fabric/service/state.h"

#include "base/memory.h"

/* ---- Requests ---- */

static sct_status new_request(sct_service *service, int *index) {
    *index = service->free_request;
    if (*index >= 0) {
        service->free_request = service->requests[*index].next;
        return SCT_OK;
    }
    sct_service_request *requests = sct_memory_grow(service->requests, service->requests_used,
                                                    &service->requests_room, sizeof *requests);
    if (!requests)
        return sct_no_memory("one more transfer");
    *index = service->requests_used++;
    requests[*index].turn = 0;
    service->requests = requests;
    return SCT_OK;
}

static void queue_request(sct_service *service, int index) {
    if (service->last < 0)
        service->first = index;
    else
        service->requests[service->last].next = index;
    service->last = index;
}

sct_status sct_request_open(sct_service *service, sct_request_kind kind, sct_type type,
                            const sct_place_far *place, char *local, size_t pitch,
                            uint64_t *ticket) {
    int index;
    sct_status status = new_request(service, &index);
    if (status != SCT_OK)
        return status;
    sct_service_request *request = &service->requests[index];
    *request = (sct_service_request){.turn = request->turn + 1,
                                     .open = true,
                                     .kind = kind,
                                     .type = type,
                                     .place = *place,
                                     .local = local,
                                     .pitch = pitch,
                                     .cut = sct_split_make(place->part.lines, place->part.width,
                                                           service->piece, SCT_SPLIT_GRAIN),
                                     .next = -1};
    queue_request(service, index);
    service->may_send = true;
    *ticket = sct_request_ticket(service, index);
    return SCT_OK;
}

uint64_t sct_request_ticket(const sct_service *service, int index) {
    return (uint64_t)(index + 1) << 32 | service->requests[index].turn;
}

bool sct_request_is_open(const sct_service *service, uint64_t ticket) {
    if (ticket == 0)
        return false;
    const sct_service_request *request = &service->requests[(ticket >> 32) - 1];
    return request->open && request->turn == (uint32_t)ticket;
}

static void complete_piece(sct_service *service, int index) {
    sct_service_request *request = &service->requests[index];
    if (++request->completed < request->cut.pieces)
        return;
    request->open = false;
    request->next = service->free_request;
    service->free_request = index;
}

/* ---- One piece ---- */

/* The address of a piece in the rank's own memory. */
static char *piece_local(const sct_service_request *request, const sct_rectangle *piece) {
    return request->local + sct_rectangle_offset(piece, request->pitch);
}

static void fill_message(const sct_service_request *request, const sct_rectangle *piece, int record,
                         sct_request_message *message) {
    message->id = request->place.id;
    message->part = sct_rectangle_inside(&request->place.part, piece);
    message->block = request->place.block;
    message->kind = (int32_t)request->kind;
    message->type = (int32_t)request->type;
    message->record = record;
}

/* Marks a message of a piece (SCT_WIRE_REQUEST, SCT_WIRE_DATA or SCT_WIRE_REPLY) as pending.
 * Returns the place for the wire's number of it. */
static sct_message *mark_pending(sct_piece_record *record, unsigned message) {
    record->pending |= message;
    return &record->messages[message >> 1];
}

static sct_status send_request(sct_service *service, sct_piece_record *record, int rank,
                               size_t bytes) {
    return service->wire->ops->send(service->wire, rank, SCT_KIND_REQUEST, record->message,
                                    SCT_REQUEST_HEAD + bytes,
                                    mark_pending(record, SCT_WIRE_REQUEST));
}

static sct_status receive_reply(sct_service *service, sct_piece_record *record, int rank, void *to,
                                size_t bytes) {
    return service->wire->ops->receive(service->wire, rank,
                                       SCT_KIND_REPLY + record->message->record, to, bytes,
                                       mark_pending(record, SCT_WIRE_REPLY));
}

static sct_status send_get(sct_service *service, sct_piece_record *record,
                           const sct_service_request *request, const sct_rectangle *piece) {
    char *local = piece_local(request, piece);
    bool in_place = (piece->lines == 1 || request->pitch == piece->width) &&
                    !sct_service_is_device_only(service, local);
    if (!in_place)
        record->unpack = (sct_transfer){.from = record->buffer,
                                        .from_pitch = piece->width,
                                        .to = local,
                                        .to_pitch = request->pitch,
                                        .lines = piece->lines,
                                        .width = piece->width};
    sct_status status =
        receive_reply(service, record, request->place.rank, in_place ? local : record->buffer,
                      (size_t)piece->lines * piece->width);
    return status == SCT_OK ? send_request(service, record, request->place.rank, 0) : status;
}

/* Sends the data of an addition. */
static sct_status send_lines(sct_service *service, sct_piece_record *record, int rank,
                             const sct_memory *lines) {
    size_t bytes = (size_t)lines->lines * lines->width;
    sct_status status = receive_reply(service, record, rank, record->buffer, 0);
    if (status != SCT_OK)
        return status;
    if (bytes <= SCT_REQUEST_BYTES) {
        sct_lines_pack(lines, record->message->bytes);
        return send_request(service, record, rank, bytes);
    }
    status = send_request(service, record, rank, 0);
    if (status != SCT_OK)
        return status;
    return sct_service_send(service, rank, SCT_KIND_DATA + record->message->record, lines,
                            record->buffer, mark_pending(record, SCT_WIRE_DATA));
}

static sct_status send_add(sct_service *service, sct_piece_record *record,
                           const sct_service_request *request, const sct_rectangle *piece) {
    const sct_memory lines = {piece_local(request, piece), request->pitch, piece->lines,
                              piece->width};
    if (!sct_service_is_device_only(service, lines.base))
        return send_lines(service, record, request->place.rank, &lines);
    char *outbox = sct_service_outbox(service, service->wire->rank, record->message->record);
    const sct_transfer pack = {.from = lines.base,
                               .from_pitch = lines.pitch,
                               .to = outbox ? outbox : record->buffer,
                               .to_pitch = lines.width,
                               .lines = lines.lines,
                               .width = lines.width};
    record->packed = (sct_memory){pack.to, lines.width, lines.lines, lines.width};
    record->pending = SCT_BOUNCE_PACKS;
    return sct_service_start(service, &pack, &record->copied);
}

/* Sends the data of an addition, or has the owner fetch them. */
static sct_status send_packed(sct_service *service, sct_piece_record *record) {
    int rank = service->requests[record->request].place.rank;
    if (record->packed.base == record->buffer)
        return send_lines(service, record, rank, &record->packed);
    record->message->kind = SCT_REQUEST_FETCH_ADD;
    sct_status status = receive_reply(service, record, rank, record->buffer, 0);
    return status == SCT_OK ? send_request(service, record, rank, 0) : status;
}

static sct_status send_next_piece(sct_service *service, int at, int index) {
    sct_piece_record *record = &service->records[at];
    sct_service_request *request = &service->requests[index];
    sct_rectangle piece = sct_split_piece(&request->cut, request->sent++);
    fill_message(request, &piece, at, record->message);
    record->request = index;
    record->unpack.lines = 0;
    service->pieces_open++;
    return request->kind == SCT_REQUEST_GET ? send_get(service, record, request, &piece)
                                            : send_add(service, record, request, &piece);
}

/* ---- The queue ---- */

int sct_requests_pieces_to(const sct_service *service, int rank) {
    int count = 0;
    for (int i = 0; i < SCT_MAX_PIECES; i++) {
        const sct_piece_record *record = &service->records[i];
        count += record->pending && service->requests[record->request].place.rank == rank;
    }
    return count;
}

static int free_record(const sct_service *service) {
    int at = 0;
    while (service->records[at].pending)
        at++;
    return at;
}

static sct_status send_pieces(sct_service *service, int index) {
    const sct_service_request *request = &service->requests[index];
    sct_status status = SCT_OK;
    while (status == SCT_OK && request->sent < request->cut.pieces &&
           service->pieces_open < service->max_pieces &&
           sct_requests_pieces_to(service, request->place.rank) < service->max_pieces_of_one)
        status = send_next_piece(service, free_record(service), index);
    return status;
}

/* Removes requests whose pieces have all been sent from the queue. */
static sct_status send_queue(sct_service *service) {
    int before = -1, next;
    for (int index = service->first; index >= 0 && service->pieces_open < service->max_pieces;
         index = next) {
        sct_status status = send_pieces(service, index);
        if (status != SCT_OK)
            return status;
        sct_service_request *request = &service->requests[index];
        next = request->next;
        if (request->sent < request->cut.pieces) {
            before = index;
            continue;
        }
        if (before < 0)
            service->first = next;
        else
            service->requests[before].next = next;
        if (next < 0)
            service->last = before;
    }
    return SCT_OK;
}

static sct_status test_copy(sct_service *service, sct_piece_record *record) {
    const unsigned bounce = SCT_BOUNCE_PACKS | SCT_BOUNCE_UNPACKS;
    bool packs = record->pending & SCT_BOUNCE_PACKS, done = false;
    if (!(record->pending & bounce))
        return SCT_OK;
    sct_status status = sct_service_test(record->copied, &done);
    if (status != SCT_OK || !done)
        return status;
    record->pending &= ~bounce;
    return packs ? send_packed(service, record) : SCT_OK;
}

static sct_status test_messages(sct_service *service, sct_piece_record *record) {
    for (int i = 0; i < SCT_WIRE_MESSAGES; i++) {
        bool done = false;
        if (!(record->pending & 1u << i))
            continue;
        sct_status status = service->wire->ops->test(service->wire, record->messages[i], &done);
        if (status != SCT_OK)
            return status;
        if (done)
            record->pending &= ~(1u << i);
    }
    return SCT_OK;
}

static sct_status unpack(sct_service *service, sct_piece_record *record) {
    if (record->unpack.lines == 0)
        return SCT_OK;
    sct_status status = sct_service_start(service, &record->unpack, &record->copied);
    record->unpack.lines = 0;
    record->pending = record->copied.ops ? SCT_BOUNCE_UNPACKS : 0;
    return status;
}

/* Does what can be done for a piece in flight. */
static sct_status continue_record(sct_service *service, sct_piece_record *record) {
    sct_status status = test_copy(service, record);
    if (status == SCT_OK)
        status = test_messages(service, record);
    return status == SCT_OK && !record->pending ? unpack(service, record) : status;
}

static void close_record(sct_service *service, sct_piece_record *record) {
    service->pieces_open--;
    service->may_send = true;
    complete_piece(service, record->request);
}

sct_status sct_requests_progress(sct_service *service, sct_activity *activity) {
    for (int i = 0; i < SCT_MAX_PIECES && service->pieces_open > 0; i++) {
        sct_piece_record *record = &service->records[i];
        if (!record->pending)
            continue;
        sct_status status = continue_record(service, record);
        if (status != SCT_OK)
            return status;
        if (!record->pending) {
            close_record(service, record);
            activity->count++;
        }
    }
    if (!service->may_send)
        return SCT_OK;
    service->may_send = false;
    return send_queue(service);
}
