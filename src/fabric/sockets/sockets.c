/* sockets.c - starts a wire of sockets, and has its operations.
 *
 * Each rank listens, and sends its address to all. Then the ranks connect as a binomial tree, so
 * that each learns of the end of any other: a rank that fails, or loses a connection, reports that
 * on all of its own (service.c). All further connections are made on demand (connect.c). All waits
 * at the start end within seconds, because a firewall may drop packets silently.
 *
 * A requested message is read straight into its buffer; an unrequested one is buffered. A send
 * passes as much as the system takes, and the rest when it takes more. */
#include "fabric/sockets/sockets.h"

#include "base/clock.h"
#include "base/status.h"
#include "fabric/bootstrap.h"
#include "fabric/sockets/fork.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"
#include "fabric/sockets/state.h"

#include <assert.h>
#include <errno.h>
#include <sectile/sectile.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* FIRST_SLOTS: allocated at once, so that ranks can meet even when memory has run out. EVENTS: that
 * are handled at once. */
enum { MOST_BYTES = 1 << 18, FIRST_SLOTS = 64, EVENTS = 64 };

static sct_sockets *self_of(sct_wire *wire) {
    return (sct_sockets *)wire;
}

/* ---- Messages ---- */

/* Delivers a message to this rank itself. */
static sct_status deliver(sct_sockets *self, sct_link *own, const sct_message_slot *sent) {
    int at;
    sct_status status = sct_link_destination(self, own, &sent->head, &at);
    if (status != SCT_OK)
        return status;
    for (size_t to = 0, from = 0; to < sent->head.bytes; to += sent->width, from += sent->pitch)
        memcpy(self->slots[at].bytes + to, sent->bytes + from, sent->width);
    sct_link_finish(self, at);
    return SCT_OK;
}

/* Once reading has stopped, nobody connects any more, nor sends the rest of what the system does
 * not take. */
static sct_status start_sending(sct_sockets *self, sct_link *link) {
    sct_status status = sct_link_connect(self, link);
    if (status == SCT_OK && link->state == SCT_LINK_OPEN && !link->full)
        status = sct_link_push(self, link);
    bool stuck = self->cancelled && link->fd >= 0 && link->out.first != SCT_NO_SLOT;
    return stuck ? sct_link_lose(self, link) : status;
}

static sct_status wire_send_lines(sct_wire *wire, int rank, int kind, const sct_memory *lines,
                                  sct_message *message) {
    sct_sockets *self = self_of(wire);
    bool own = rank == wire->rank;
    sct_message_slot sent = {.state = own ? SCT_MESSAGE_DONE : SCT_MESSAGE_SENDS,
                             .rank = rank,
                             .head = {(uint64_t)lines->lines * lines->width, kind},
                             .bytes = lines->base,
                             .pitch = lines->pitch,
                             .width = lines->width};
    sct_link *link;
    int at;
    sct_status status = sct_link_to(self, rank, &link);
    if (status == SCT_OK && link->state == SCT_LINK_LOST)
        status = sct_link_lost(self, rank);
    if (status == SCT_OK)
        status = sct_slot_take(self, &sent, &at);
    if (status != SCT_OK)
        return status;
    *message = (sct_message)at;
    if (own)
        return deliver(self, link, &sent);
    sct_slot_append(self, &link->out, at);
    return start_sending(self, link);
}

static sct_status wire_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                            sct_message *message) {
    return wire_send_lines(wire, rank, kind, &(sct_memory){(char *)from, bytes, 1, bytes}, message);
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
    sct_link *link;
    sct_status status = SCT_OK;
    if (at != SCT_NO_SLOT) {
        status = hand_over(&self->slots[at], to, bytes);
    } else if ((status = sct_link_to(self, rank, &link)) != SCT_OK) {
        return status;
    } else if (link->state == SCT_LINK_LOST) {
        return sct_link_lost(self, rank);
    } else {
        sct_message_slot requested = {
            .state = SCT_MESSAGE_RECEIVES, .rank = rank, .head = {bytes, kind}, .bytes = to};
        status = sct_slot_take(self, &requested, &at);
        if (status == SCT_OK)
            sct_slot_append(self, &link->requested, at);
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

static sct_status handle(sct_sockets *self, sct_link *link, uint32_t events) {
    sct_status status = SCT_OK;
    if (link->state != SCT_LINK_OPEN)
        return sct_link_continue(self, link);
    if (events & EPOLLOUT)
        status = sct_link_push(self, link);
    if (status == SCT_OK && link->state == SCT_LINK_OPEN && events & ~(uint32_t)EPOLLOUT)
        status = sct_link_pull(self, link);
    return status;
}

static sct_status receive_callers(sct_sockets *self) {
    sct_reception *reception = &self->reception;
    sct_reception_pass(reception, 0);
    return reception->refused ? sct_fail(self->starts ? SCT_NO_ENGINE : SCT_FAILED,
                                         "sockets: rank %d cannot accept connections: %s",
                                         self->base.rank, strerror(reception->refused))
                              : SCT_OK;
}

static sct_status wire_progress(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    struct epoll_event events[EVENTS];
    int ready = self->cancelled ? 0 : epoll_wait(self->poll, events, EVENTS, 0);
    bool called = false;
    sct_status status = SCT_OK;
    for (int i = 0; i < ready && status == SCT_OK; i++) {
        if (events[i].data.ptr)
            status = handle(self, events[i].data.ptr, events[i].events);
        called |= !events[i].data.ptr;
    }
    if (status == SCT_OK && called)
        status = receive_callers(self);
    return status == SCT_OK && !self->cancelled ? sct_links_retry(self) : status;
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
    for (int i = 0; i < self->links_count; i++) {
        sct_link *link = self->links[i];
        int first = link->out.first;
        if (link->fd >= 0 && first != SCT_NO_SLOT && self->slots[first].moved > 0)
            (void)sct_link_lose(self, link);
        link->out = (sct_slot_list){SCT_NO_SLOT, SCT_NO_SLOT};
        link->full = false;
    }
}

static bool wire_is_connected(sct_wire *wire, int rank) {
    return sct_link_is_open(self_of(wire), rank);
}

/* Sends the last head, unless something failed or is unsent. */
static void end_link(const sct_sockets *self, sct_link *link) {
    const sct_head farewell = {.kind = SCT_KIND_FAREWELL};
    if (!self->cancelled && link->state == SCT_LINK_OPEN && link->out.first == SCT_NO_SLOT)
        (void)send(link->fd, &farewell, sizeof farewell, MSG_NOSIGNAL);
    sct_link_close(link);
    free(link);
}

static void wire_close(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    sct_fork_release(self);
    for (int i = 0; i < self->links_count; i++)
        end_link(self, self->links[i]);
    for (int at = 0; at < self->used; at++)
        if (self->slots[at].state == SCT_MESSAGE_ARRIVES ||
            self->slots[at].state == SCT_MESSAGE_ARRIVED)
            free(self->slots[at].bytes);
    sct_reception_close(&self->reception);
    if (self->poll >= 0)
        close(self->poll);
    free(self->peers);
    free(self->hosts);
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
                                 .cancel = wire_cancel,
                                 .is_connected = wire_is_connected};

/* ---- Start ---- */

static sct_status create(const sct_bootstrap *ranks, sct_sockets **created) {
    sct_sockets *self = malloc(sizeof *self);
    if (!self)
        return sct_no_memory("a wire");
    const sct_slot_list none = {SCT_NO_SLOT, SCT_NO_SLOT};
    *self = (sct_sockets){.base = {.ops = &ops,
                                   .rank = ranks->rank,
                                   .size = ranks->ranks,
                                   .most_bytes = MOST_BYTES,
                                   .threaded = true},
                          .poll = epoll_create1(EPOLL_CLOEXEC),
                          .slots = malloc(FIRST_SLOTS * sizeof *self->slots),
                          .starts = true,
                          .room = FIRST_SLOTS,
                          .free = none,
                          .early = none};
    self->reception = (sct_reception){.rank = ranks->rank,
                                      .listener = -1,
                                      .watch = self->poll,
                                      .admit = sct_link_admit,
                                      .context = self};
    sct_fork_guard(self);
    *created = self;
    sct_status status = sct_reception_open(&self->reception, ranks->ranks);
    return self->poll >= 0 && self->slots ? status : sct_no_memory("a wire");
}

static sct_status failure(const sct_sockets *self, const char *what) {
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot %s: %s", self->base.rank, what,
                    strerror(errno));
}

static sct_status listen_anywhere(sct_sockets *self, sct_endpoint *endpoint, sct_addresses *mine) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    in_port_t port;
    if (!sct_socket_listen(0, &self->reception.listener, &port))
        return failure(self, "listen");
    if (epoll_ctl(self->poll, EPOLL_CTL_ADD, self->reception.listener, &event))
        return failure(self, "watch a connection");
    if (getrandom(&endpoint->key, sizeof endpoint->key, 0) != sizeof endpoint->key)
        return failure(self, "get random numbers");
    sct_addresses_list(mine);
    endpoint->addresses = mine->count;
    endpoint->port = port;
    return SCT_OK;
}

/* ---- The tree of the start ---- */

/* The parent of a rank lacks its lowest bit; so the children of a rank have one more below that.
 * The n-th neighbour of a rank, its parent first; -1: there are no more. All of them are partners
 * in gathers and reductions, too (gather.c). */
static int tree_neighbour(const sct_wire *wire, int n) {
    int rank = wire->rank, size = wire->size, parent = rank & (rank - 1), parents = rank > 0;
    if (n < parents)
        return parent;
    int64_t far = INT64_C(1) << (n - parents);
    return far < (parents ? rank - parent : size) && rank + far < size ? rank + (int)far : -1;
}

static int count_missing(const sct_sockets *self, int *first) {
    int missing = 0, rank;
    for (int n = 0; (rank = tree_neighbour(&self->base, n)) >= 0; n++)
        if (!sct_link_is_open(self, rank))
            *first = missing++ == 0 ? rank : *first;
    return missing;
}

/* A rank that cannot connect knows why, one that has waited for it in vain does not: `vain`. */
static sct_status name_missing(const sct_sockets *self, int missing, int first, bool *vain) {
    *vain = first > self->base.rank;
    if (!*vain)
        return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot connect to rank %d: no answer",
                        self->base.rank, first);
    if (missing == 1)
        return sct_fail(SCT_NO_ENGINE, "sockets: rank %d has not connected to rank %d", first,
                        self->base.rank);
    return sct_fail(SCT_NO_ENGINE,
                    "sockets: %d ranks have not connected to rank %d, the first of them rank %d",
                    missing, self->base.rank, first);
}

/* Gives up when no rank has come for some seconds; for more, if there are many, which may share a
 * few processors, as the ranks of one host may. */
static sct_status connect_tree(sct_sockets *self, bool *vain) {
    enum { LEAST_S = 3, RANKS_PER_S = 32, MOST_S = 128, NAP_MS = 50 };
    int more = self->base.size / RANKS_PER_S;
    int seconds = LEAST_S + (more < MOST_S ? more : MOST_S), first = 0, before = -1, missing;
    sct_deadline limit = sct_deadline_for(seconds);
    sct_link *link = NULL;
    sct_status status = SCT_OK;
    if (self->base.rank > 0)
        status = sct_link_to(self, tree_neighbour(&self->base, 0), &link);
    if (status == SCT_OK && link)
        status = sct_link_connect(self, link);
    while (status == SCT_OK && (missing = count_missing(self, &first)) > 0) {
        if (missing != before)
            limit = sct_deadline_for(seconds);
        else if (sct_deadline_left_ms(&limit) == 0)
            return name_missing(self, missing, first, vain);
        before = missing;
        self->base.ops->await(&self->base, NAP_MS);
        status = wire_progress(&self->base);
    }
    return status;
}

/* Collective, also on ranks that fail: each takes part in all agreements. */
static sct_status start(sct_sockets *self, const sct_bootstrap *ranks, sct_survey *survey) {
    sct_endpoint endpoint = {.port = 0};
    sct_addresses mine = {.count = 0};
    bool vain = false;
    sct_status status = listen_anywhere(self, &endpoint, &mine);
    status = sct_peers_find(self, ranks, status, &endpoint, &mine, survey);
    sct_survey_close(survey);
    if (status != SCT_OK)
        return status;
    status = connect_tree(self, &vain);
    sct_status known = sct_bootstrap_agree(ranks, vain ? SCT_OK : status);
    self->starts = false;
    return sct_bootstrap_agree(ranks, known == SCT_OK ? status : known);
}

sct_status sct_sockets_create(const sct_bootstrap *ranks, sct_wire **wire) {
    sct_sockets *self = NULL;
    sct_survey survey;
    sct_status status = sct_survey_open(&survey, ranks->ranks);
    if (status == SCT_OK)
        status = create(ranks, &self);
    status = sct_bootstrap_agree(ranks, status);
    if (status == SCT_OK) {
        assert(self);
        status = start(self, ranks, &survey);
    }
    sct_survey_close(&survey);
    if (status == SCT_OK)
        *wire = &self->base;
    else if (self)
        wire_close(&self->base);
    return status;
}
