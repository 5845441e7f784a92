/* sockets.c - the wire's operations on sockets.
 *
 * A requested message is read straight into its buffer; an unrequested one is buffered. A send
 * passes as much as the system takes, and the rest when it takes more. */
#include "fabric/sockets/connect.h"
#include "fabric/sockets/state.h"

#include "base/status.h"
#include "fabric/bootstrap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* FIRST_SLOTS: allocated at once, so that ranks can meet even when memory has run out. */
enum { MOST_BYTES = 1 << 18, FIRST_SLOTS = 64 };

static sct_sockets *self_of(sct_wire *wire) {
    return (sct_sockets *)wire;
}

/* ---- Messages ---- */

/* Delivers a message to this rank itself. */
static sct_status deliver(sct_sockets *self, const sct_message_slot *sent) {
    int at;
    sct_status status = sct_link_destination(self, sent->rank, &sent->head, &at);
    if (status != SCT_OK)
        return status;
    for (size_t to = 0, from = 0; to < sent->head.bytes; to += sent->width, from += sent->pitch)
        memcpy(self->slots[at].bytes + to, sent->bytes + from, sent->width);
    sct_link_finish(self, at);
    return SCT_OK;
}

static sct_status wire_send_lines(sct_wire *wire, int rank, int kind, const sct_lines *lines,
                                  sct_message *message) {
    sct_sockets *self = self_of(wire);
    sct_link *link = &self->links[rank];
    bool own = rank == wire->rank;
    sct_message_slot sent = {.state = own ? SCT_MESSAGE_DONE : SCT_MESSAGE_SENDS,
                             .rank = rank,
                             .head = {(uint64_t)lines->count * lines->width, kind},
                             .bytes = (char *)lines->first,
                             .pitch = lines->pitch,
                             .width = lines->width};
    int at;
    if (!own && link->fd < 0)
        return sct_link_lost(self, rank);
    sct_status status = sct_slot_take(self, &sent, &at);
    if (status != SCT_OK)
        return status;
    *message = (sct_message)at;
    if (own)
        return deliver(self, &sent);
    sct_slot_append(self, &link->out, at);
    status = link->full ? SCT_OK : sct_link_push(self, rank);
    bool stuck = self->cancelled && link->fd >= 0 && link->out.first != SCT_NO_SLOT;
    return stuck ? sct_link_lose(self, rank) : status; /* nobody will send the rest */
}

static sct_status wire_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                            sct_message *message) {
    return wire_send_lines(wire, rank, kind, &(sct_lines){from, bytes, bytes, 1}, message);
}

/* Hands over a message that is, or is being, buffered. */
static sct_status hand_over(sct_message_slot *early, void *to, size_t bytes) {
    sct_status status = sct_link_check(early->rank, early->head.bytes, bytes);
    if (status != SCT_OK)
        return status;
    bool arrived = early->state == SCT_MESSAGE_ARRIVED;
    memcpy(to, early->bytes, arrived ? bytes : early->moved);
    free(early->bytes);
    early->bytes = to;
    early->state = arrived ? SCT_MESSAGE_DONE : SCT_MESSAGE_RECEIVES;
    return SCT_OK;
}

static sct_status wire_receive(sct_wire *wire, int rank, int kind, void *to, size_t bytes,
                               sct_message *message) {
    sct_sockets *self = self_of(wire);
    int at = sct_slot_find(self, &self->early, rank, kind, false);
    sct_status status = SCT_OK;
    if (at != SCT_NO_SLOT) {
        status = hand_over(&self->slots[at], to, bytes);
    } else if (rank != wire->rank && self->links[rank].fd < 0) {
        return sct_link_lost(self, rank);
    } else {
        sct_message_slot requested = {
            .state = SCT_MESSAGE_RECEIVES, .rank = rank, .head = {bytes, kind}, .bytes = to};
        status = sct_slot_take(self, &requested, &at);
        if (status == SCT_OK)
            sct_slot_append(self, &self->links[rank].requested, at);
    }
    *message = (sct_message)at;
    return status;
}

static sct_status wire_take(sct_wire *wire, int kind, void *to, size_t bytes, int *rank,
                            bool *taken) {
    sct_sockets *self = self_of(wire);
    int at = sct_slot_find(self, &self->early, -1, kind, true);
    *taken = at != SCT_NO_SLOT;
    if (!*taken)
        return SCT_OK;
    sct_message_slot *found = &self->slots[at];
    *rank = found->rank;
    bool fits = found->head.bytes <= bytes;
    if (fits)
        memcpy(to, found->bytes, found->head.bytes);
    free(found->bytes);
    sct_slot_free(self, at);
    return fits ? SCT_OK
                : sct_fail(SCT_FAILED, "a message of %llu bytes from rank %d is too long",
                           (unsigned long long)found->head.bytes, found->rank);
}

static sct_status wire_progress(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    if (self->missed >= 0)
        return sct_link_lost(self, self->missed);
    int ready = self->cancelled ? 0 : epoll_wait(self->poll, self->events, wire->size, 0);
    sct_status status = SCT_OK;
    for (int i = 0; i < ready && status == SCT_OK; i++) {
        uint32_t events = self->events[i].events;
        int rank = (int)self->events[i].data.u32;
        if (events & EPOLLOUT)
            status = sct_link_push(self, rank);
        if (status == SCT_OK && self->links[rank].fd >= 0 && events & ~(uint32_t)EPOLLOUT)
            status = sct_link_pull(self, rank);
    }
    return status;
}

static void wire_await(sct_wire *wire, int most_ms) {
    struct epoll_event ignored;
    (void)epoll_wait(self_of(wire)->poll, &ignored, 1, most_ms);
}

static sct_status wire_test(sct_wire *wire, sct_message message, bool *done) {
    sct_sockets *self = self_of(wire);
    *done = self->slots[message].state == SCT_MESSAGE_DONE;
    if (*done)
        sct_slot_free(self, (int)message);
    return SCT_OK;
}

/* ---- End ---- */

/* A message sent in part cannot be taken back: its connection ends, which the other rank notices.
 */
static void wire_cancel(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    self->cancelled = true;
    for (int rank = 0; rank < wire->size; rank++) {
        sct_link *link = &self->links[rank];
        int first = link->out.first;
        if (link->fd >= 0 && first != SCT_NO_SLOT && self->slots[first].moved > 0)
            (void)sct_link_lose(self, rank);
        link->out = (sct_slot_list){SCT_NO_SLOT, SCT_NO_SLOT};
        link->full = false;
    }
}

/* Sends the last head, unless something failed or is unsent. */
static void end_link(const sct_sockets *self, sct_link *link) {
    const sct_head farewell = {.kind = SCT_KIND_FAREWELL};
    if (!self->cancelled && self->missed < 0 && link->out.first == SCT_NO_SLOT)
        (void)send(link->fd, &farewell, sizeof farewell, MSG_NOSIGNAL);
    sct_link_close(link);
}

static void wire_close(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    sct_fork_release(self);
    for (int rank = 0; rank < wire->size; rank++)
        if (self->links && self->links[rank].fd >= 0)
            end_link(self, &self->links[rank]);
    for (int at = 0; at < self->used; at++)
        if (self->slots[at].state == SCT_MESSAGE_ARRIVES ||
            self->slots[at].state == SCT_MESSAGE_ARRIVED)
            free(self->slots[at].bytes);
    if (self->poll >= 0)
        close(self->poll);
    free(self->events);
    free(self->links);
    free(self->slots);
    free(self);
}

static const sct_wire_ops ops = {.close = wire_close,
                                 .send = wire_send,
                                 .send_lines = wire_send_lines,
                                 .receive = wire_receive,
                                 .take = wire_take,
                                 .progress = wire_progress,
                                 .await = wire_await,
                                 .test = wire_test,
                                 .cancel = wire_cancel};

/* ---- Start ---- */

static sct_status create(const sct_bootstrap *ranks, sct_sockets **created) {
    sct_sockets *self = malloc(sizeof *self);
    if (!self)
        return sct_no_memory("a wire");
    const sct_slot_list none = {SCT_NO_SLOT, SCT_NO_SLOT};
    size_t size = (size_t)ranks->ranks;
    *self = (sct_sockets){.base = {.ops = &ops,
                                   .rank = ranks->rank,
                                   .size = ranks->ranks,
                                   .most_bytes = MOST_BYTES,
                                   .threaded = true},
                          .poll = epoll_create1(EPOLL_CLOEXEC),
                          .events = malloc(size * sizeof *self->events),
                          .links = malloc(size * sizeof *self->links),
                          .slots = malloc(FIRST_SLOTS * sizeof *self->slots),
                          .room = FIRST_SLOTS,
                          .free = none,
                          .early = none,
                          .missed = -1};
    for (int rank = 0; self->links && rank < ranks->ranks; rank++)
        self->links[rank] = (sct_link){.fd = -1, .out = none, .requested = none, .in = SCT_NO_SLOT};
    *created = self;
    return self->poll >= 0 && self->events && self->links && self->slots ? SCT_OK
                                                                         : sct_no_memory("a wire");
}

/* Takes over the connections, even on failure. */
static sct_status watch(sct_sockets *self, const int *fds) {
    int failed = 0;
    assert(self && self->links);
    for (int rank = 0; rank < self->base.size; rank++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)rank};
        self->links[rank].fd = fds[rank];
        if (fds[rank] >= 0)
            failed |= epoll_ctl(self->poll, EPOLL_CTL_ADD, fds[rank], &event);
    }
    return failed ? sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot watch a connection",
                             self->base.rank)
                  : SCT_OK;
}

sct_status sct_sockets_create(const sct_bootstrap *ranks, sct_wire **wire) {
    int fds[SCT_SOCKETS_MOST_RANKS];
    sct_sockets *self = NULL;
    if (ranks->ranks > SCT_SOCKETS_MOST_RANKS)
        return sct_fail(SCT_NO_ENGINE, "sockets: at most %d ranks can connect, not %d",
                        SCT_SOCKETS_MOST_RANKS, ranks->ranks);
    sct_status status = create(ranks, &self);
    status = sct_sockets_connect(ranks, status, fds);
    if (status == SCT_OK) {
        status = watch(self, fds);
        sct_fork_guard(self);
    }
    status = sct_bootstrap_agree(ranks, status);
    if (status == SCT_OK)
        *wire = &self->base;
    else if (self)
        wire_close(&self->base);
    return status;
}
