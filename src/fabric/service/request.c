/* request.c - sends requests: gets and accumulates, split into pieces.
 *
 * Requests are served in order, except those to a rank that already has as many pieces in flight as
 * allowed. */
#include "fabric/service/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Requests ---- */

static sct_status more_demands(sct_service *service) {
    int room = service->demands_room > 0 ? 2 * service->demands_room : 64;
    sct_service_request *requests = realloc(service->requests, (size_t)room * sizeof *requests);
    if (!requests)
        return sct_no_memory("one more transfer");
    service->requests = requests;
    service->demands_room = room;
    return SCT_OK;
}

static sct_status new_demand(sct_service *service, int *index) {
    *index = service->free_demand;
    if (*index >= 0) {
        service->free_demand = service->requests[*index].next;
        return SCT_OK;
    }
    if (service->demands_used == service->demands_room) {
        sct_status status = more_demands(service);
        if (status != SCT_OK)
            return status;
    }
    *index = service->demands_used++;
    service->requests[*index].turn = 0;
    return SCT_OK;
}

static void queue_demand(sct_service *service, int index) {
    if (service->last < 0)
        service->first = index;
    else
        service->requests[service->last].next = index;
    service->last = index;
}

sct_status sct_demand_open(sct_service *service, sct_request_kind kind, sct_type type,
                           const sct_place_far *place, char *local, size_t pitch,
                           sct_ticket *ticket) {
    int index;
    sct_status status = new_demand(service, &index);
    if (status != SCT_OK)
        return status;
    sct_service_request *request = &service->requests[index];
    *request =
        (sct_service_request){.turn = request->turn + 1,
                              .open = true,
                              .kind = kind,
                              .type = type,
                              .place = *place,
                              .local = local,
                              .pitch = pitch,
                              .cut = sct_split_make(place->lines, place->width, service->piece),
                              .next = -1};
    queue_demand(service, index);
    service->may_request = true;
    *ticket = (uint64_t)(index + 1) << 32 | request->turn;
    return SCT_OK;
}

bool sct_demand_is_open(const sct_service *service, sct_ticket ticket) {
    if (ticket == 0)
        return false;
    const sct_service_request *request = &service->requests[(ticket >> 32) - 1];
    return request->open && request->turn == (uint32_t)ticket;
}

static void close_piece(sct_service *service, int index) {
    sct_service_request *request = &service->requests[index];
    if (++request->closed < request->cut.pieces)
        return;
    request->open = false;
    request->next = service->free_demand;
    service->free_demand = index;
}

/* ---- One piece ---- */

/* The address of a piece in the rank's own memory. */
static char *piece_local(const sct_service_request *request, const sct_piece *piece) {
    return request->local + (size_t)piece->line * request->pitch + piece->byte;
}

static void write_letter(const sct_service_request *request, const sct_piece *piece, int in_flight,
                         sct_request_message *message) {
    message->id = request->place.id;
    message->line = request->place.line + piece->line;
    message->lines = piece->lines;
    message->byte = request->place.byte + piece->byte;
    message->width = piece->width;
    message->block = request->place.block;
    message->kind = (int32_t)request->kind;
    message->type = (int32_t)request->type;
    message->in_flight = in_flight;
}

/* part: SCT_ASKED, SCT_SENT or SCT_REPLIED. */
static sct_message *pend(sct_request_piece *in_flight, unsigned part) {
    in_flight->pending |= part;
    return &in_flight->requests[part >> 1];
}

static sct_status send_request(sct_service *service, sct_request_piece *in_flight, int rank,
                               size_t bytes) {
    return service->wire->ops->send(service->wire, rank, SCT_KIND_ASK, in_flight->message,
                                    SCT_REQUEST_HEAD + bytes, pend(in_flight, SCT_ASKED));
}

static sct_status await_reply(sct_service *service, sct_request_piece *in_flight, int rank,
                              void *to, size_t bytes) {
    return service->wire->ops->receive(service->wire, rank,
                                       SCT_KIND_REPLY + in_flight->message->in_flight, to, bytes,
                                       pend(in_flight, SCT_REPLIED));
}

static sct_status request_get(sct_service *service, sct_request_piece *in_flight,
                              const sct_service_request *request, const sct_piece *piece) {
    char *local = piece_local(request, piece);
    bool dense = piece->lines == 1 || request->pitch == piece->width;
    if (!dense)
        in_flight->unpack = (sct_transfer){.from = in_flight->buffer,
                                           .from_pitch = piece->width,
                                           .to = local,
                                           .to_pitch = request->pitch,
                                           .lines = piece->lines,
                                           .width = piece->width};
    sct_status status =
        await_reply(service, in_flight, request->place.rank, dense ? local : in_flight->buffer,
                    (size_t)piece->lines * piece->width);
    return status == SCT_OK ? send_request(service, in_flight, request->place.rank, 0) : status;
}

static sct_status request_add(sct_service *service, sct_request_piece *in_flight,
                              const sct_service_request *request, const sct_piece *piece) {
    int rank = request->place.rank;
    size_t bytes = (size_t)piece->lines * piece->width;
    sct_status status = await_reply(service, in_flight, rank, in_flight->buffer, 0);
    if (status != SCT_OK)
        return status;
    const sct_lines lines = {piece_local(request, piece), request->pitch, piece->width,
                             piece->lines};
    if (bytes <= SCT_REQUEST_BYTES) {
        sct_lines_pack(&lines, in_flight->message->bytes);
        return send_request(service, in_flight, rank, bytes);
    }
    status = send_request(service, in_flight, rank, 0);
    if (status != SCT_OK)
        return status;
    return sct_service_send(service, rank, SCT_KIND_DATA + in_flight->message->in_flight, &lines,
                            in_flight->buffer, pend(in_flight, SCT_SENT));
}

static sct_status ask_next(sct_service *service, int at, int index) {
    sct_request_piece *in_flight = &service->pieces_in_flight[at];
    sct_service_request *request = &service->requests[index];
    sct_piece piece = sct_split_piece(&request->cut, request->asked++);
    write_letter(request, &piece, at, in_flight->message);
    in_flight->request = index;
    in_flight->unpack.lines = 0;
    service->asks_open++;
    service->asked_of[request->place.rank]++;
    return request->kind == SCT_REQUEST_GET ? request_get(service, in_flight, request, &piece)
                                            : request_add(service, in_flight, request, &piece);
}

/* ---- The queue ---- */

static int free_ask(const sct_service *service) {
    int at = 0;
    while (service->pieces_in_flight[at].pending)
        at++;
    return at;
}

static sct_status ask_pieces(sct_service *service, int index) {
    const sct_service_request *request = &service->requests[index];
    sct_status status = SCT_OK;
    while (status == SCT_OK && request->asked < request->cut.pieces &&
           service->asks_open < service->max_pieces &&
           service->asked_of[request->place.rank] < service->max_pieces_of_one)
        status = ask_next(service, free_ask(service), index);
    return status;
}

/* Removes requests whose pieces have all been sent from the queue. */
static sct_status request_queue(sct_service *service) {
    int before = -1, next;
    for (int index = service->first; index >= 0 && service->asks_open < service->max_pieces;
         index = next) {
        sct_status status = ask_pieces(service, index);
        if (status != SCT_OK)
            return status;
        sct_service_request *request = &service->requests[index];
        next = request->next;
        if (request->asked < request->cut.pieces) {
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

static sct_status test_ask(sct_service *service, sct_request_piece *in_flight) {
    for (int i = 0; i < SCT_ASK_REQUESTS; i++) {
        bool done = false;
        if (!(in_flight->pending & 1u << i))
            continue;
        sct_status status = service->wire->ops->test(service->wire, in_flight->requests[i], &done);
        if (status != SCT_OK)
            return status;
        if (done)
            in_flight->pending &= ~(1u << i);
    }
    return SCT_OK;
}

static void close_ask(sct_service *service, sct_request_piece *in_flight) {
    if (in_flight->unpack.lines > 0)
        sct_transfer_run(&in_flight->unpack);
    service->asks_open--;
    service->asked_of[service->requests[in_flight->request].place.rank]--;
    service->may_request = true;
    close_piece(service, in_flight->request);
}

sct_status sct_asks_progress(sct_service *service, sct_activity *activity) {
    for (int i = 0; i < SCT_MAX_PIECES && service->asks_open > 0; i++) {
        sct_request_piece *in_flight = &service->pieces_in_flight[i];
        if (!in_flight->pending)
            continue;
        sct_status status = test_ask(service, in_flight);
        if (status != SCT_OK)
            return status;
        if (!in_flight->pending) {
            close_ask(service, in_flight);
            activity->count++;
        }
    }
    if (!service->may_request)
        return SCT_OK;
    service->may_request = false;
    return request_queue(service);
}
