/* request.c - demands, and the pieces of them that are under way.
 *
 * Demands are served in the order in which they came, but for those whose owner has been asked for
 * as much as it may be at once. */
#include "fabric/service/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- Demands ---- */

static sct_status more_demands(sct_service *service) {
    int room = service->demands_room > 0 ? 2 * service->demands_room : 64;
    sct_demand *demands = realloc(service->demands, (size_t)room * sizeof *demands);
    if (!demands)
        return sct_no_memory("one more transfer");
    service->demands = demands;
    service->demands_room = room;
    return SCT_OK;
}

static sct_status new_demand(sct_service *service, int *index) {
    *index = service->free_demand;
    if (*index >= 0) {
        service->free_demand = service->demands[*index].next;
        return SCT_OK;
    }
    if (service->demands_used == service->demands_room) {
        sct_status status = more_demands(service);
        if (status != SCT_OK)
            return status;
    }
    *index = service->demands_used++;
    service->demands[*index].turn = 0;
    return SCT_OK;
}

static void queue_demand(sct_service *service, int index) {
    if (service->last < 0)
        service->first = index;
    else
        service->demands[service->last].next = index;
    service->last = index;
}

sct_status sct_demand_open(sct_service *service, sct_wish wish, sct_type type,
                           const sct_place_far *place, char *local, size_t pitch,
                           sct_ticket *ticket) {
    int index;
    sct_status status = new_demand(service, &index);
    if (status != SCT_OK)
        return status;
    sct_demand *demand = &service->demands[index];
    *demand = (sct_demand){.turn = demand->turn + 1,
                           .open = true,
                           .wish = wish,
                           .type = type,
                           .place = *place,
                           .local = local,
                           .pitch = pitch,
                           .cut = sct_cut_make(place->lines, place->width, service->piece),
                           .next = -1};
    queue_demand(service, index);
    service->may_ask = true;
    *ticket = (uint64_t)(index + 1) << 32 | demand->turn;
    return SCT_OK;
}

bool sct_demand_is_open(const sct_service *service, sct_ticket ticket) {
    if (ticket == 0)
        return false;
    const sct_demand *demand = &service->demands[(ticket >> 32) - 1];
    return demand->open && demand->turn == (uint32_t)ticket;
}

static void close_piece(sct_service *service, int index) {
    sct_demand *demand = &service->demands[index];
    if (++demand->closed < demand->cut.pieces)
        return;
    demand->open = false;
    demand->next = service->free_demand;
    service->free_demand = index;
}

/* ---- One piece ---- */

/* Where the piece is in the rank's own memory. */
static char *piece_local(const sct_demand *demand, const sct_piece *piece) {
    return demand->local + (size_t)piece->line * demand->pitch + piece->byte;
}

static void write_letter(const sct_demand *demand, const sct_piece *piece, int ask,
                         sct_letter *letter) {
    letter->id = demand->place.id;
    letter->line = demand->place.line + piece->line;
    letter->lines = piece->lines;
    letter->byte = demand->place.byte + piece->byte;
    letter->width = piece->width;
    letter->block = demand->place.block;
    letter->wish = (int32_t)demand->wish;
    letter->type = (int32_t)demand->type;
    letter->ask = ask;
}

/* `request` is one of SCT_ASKED and so on. */
static sct_message *pend(sct_ask *ask, unsigned request) {
    ask->pending |= request;
    return &ask->requests[request >> 1];
}

static sct_status send_letter(sct_service *service, sct_ask *ask, int rank, size_t bytes) {
    return service->wire->ops->send(service->wire, rank, SCT_KIND_ASK, ask->letter,
                                    SCT_LETTER_HEAD + bytes, pend(ask, SCT_ASKED));
}

static sct_status await_reply(sct_service *service, sct_ask *ask, int rank, void *to,
                              size_t bytes) {
    return service->wire->ops->receive(service->wire, rank, SCT_KIND_REPLY + ask->letter->ask, to,
                                       bytes, pend(ask, SCT_REPLIED));
}

static sct_status ask_get(sct_service *service, sct_ask *ask, const sct_demand *demand,
                          const sct_piece *piece) {
    char *local = piece_local(demand, piece);
    bool dense = piece->lines == 1 || demand->pitch == piece->width;
    if (!dense)
        ask->unpack = (sct_transfer){.from = ask->buffer,
                                     .from_pitch = piece->width,
                                     .to = local,
                                     .to_pitch = demand->pitch,
                                     .lines = piece->lines,
                                     .width = piece->width};
    sct_status status = await_reply(service, ask, demand->place.rank, dense ? local : ask->buffer,
                                    (size_t)piece->lines * piece->width);
    return status == SCT_OK ? send_letter(service, ask, demand->place.rank, 0) : status;
}

static sct_status ask_add(sct_service *service, sct_ask *ask, const sct_demand *demand,
                          const sct_piece *piece) {
    int rank = demand->place.rank;
    size_t bytes = (size_t)piece->lines * piece->width;
    sct_status status = await_reply(service, ask, rank, ask->buffer, 0);
    if (status != SCT_OK)
        return status;
    const sct_lines lines = {piece_local(demand, piece), demand->pitch, piece->width, piece->lines};
    if (bytes <= SCT_LETTER_BYTES) {
        sct_lines_pack(&lines, ask->letter->bytes);
        return send_letter(service, ask, rank, bytes);
    }
    status = send_letter(service, ask, rank, 0);
    if (status != SCT_OK)
        return status;
    return sct_service_send(service, rank, SCT_KIND_DATA + ask->letter->ask, &lines, ask->buffer,
                            pend(ask, SCT_SENT));
}

static sct_status ask_next(sct_service *service, int at, int index) {
    sct_ask *ask = &service->asks[at];
    sct_demand *demand = &service->demands[index];
    sct_piece piece = sct_cut_piece(&demand->cut, demand->asked++);
    write_letter(demand, &piece, at, ask->letter);
    ask->demand = index;
    ask->unpack.lines = 0;
    service->asks_open++;
    service->asks_of[demand->place.rank]++;
    return demand->wish == SCT_WISH_GET ? ask_get(service, ask, demand, &piece)
                                        : ask_add(service, ask, demand, &piece);
}

/* ---- All of them ---- */

static int free_ask(const sct_service *service) {
    int at = 0;
    while (service->asks[at].pending)
        at++;
    return at;
}

static sct_status ask_pieces(sct_service *service, int index) {
    const sct_demand *demand = &service->demands[index];
    sct_status status = SCT_OK;
    while (status == SCT_OK && demand->asked < demand->cut.pieces &&
           service->asks_open < service->most_asks &&
           service->asks_of[demand->place.rank] < service->most_asks_of_one)
        status = ask_next(service, free_ask(service), index);
    return status;
}

/* Demands with nothing left to ask for leave the queue. */
static sct_status ask_queue(sct_service *service) {
    int before = -1, next;
    for (int index = service->first; index >= 0 && service->asks_open < service->most_asks;
         index = next) {
        sct_status status = ask_pieces(service, index);
        if (status != SCT_OK)
            return status;
        sct_demand *demand = &service->demands[index];
        next = demand->next;
        if (demand->asked < demand->cut.pieces) {
            before = index;
            continue;
        }
        if (before < 0)
            service->first = next;
        else
            service->demands[before].next = next;
        if (next < 0)
            service->last = before;
    }
    return SCT_OK;
}

static sct_status test_ask(sct_service *service, sct_ask *ask) {
    for (int i = 0; i < SCT_ASK_REQUESTS; i++) {
        bool done = false;
        if (!(ask->pending & 1u << i))
            continue;
        sct_status status = service->wire->ops->test(service->wire, ask->requests[i], &done);
        if (status != SCT_OK)
            return status;
        if (done)
            ask->pending &= ~(1u << i);
    }
    return SCT_OK;
}

static void close_ask(sct_service *service, sct_ask *ask) {
    if (ask->unpack.lines > 0)
        sct_transfer_run(&ask->unpack);
    service->asks_open--;
    service->asks_of[service->demands[ask->demand].place.rank]--;
    service->may_ask = true;
    close_piece(service, ask->demand);
}

sct_status sct_asks_progress(sct_service *service, sct_activity *activity) {
    for (int i = 0; i < SCT_ASKS && service->asks_open > 0; i++) {
        sct_ask *ask = &service->asks[i];
        if (!ask->pending)
            continue;
        sct_status status = test_ask(service, ask);
        if (status != SCT_OK)
            return status;
        if (!ask->pending) {
            close_ask(service, ask);
            activity->count++;
        }
    }
    if (!service->may_ask)
        return SCT_OK;
    service->may_ask = false;
    return ask_queue(service);
}
