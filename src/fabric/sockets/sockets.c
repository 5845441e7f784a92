/* sockets.c - connects all ranks, and has the wire's operations on sockets.
 *
 * Each rank listens, sends its address to all, connects to lower ranks, and accepts connections of
 * higher ranks. All waits for that end within seconds, because a firewall may drop packets
 * silently.
 *
 * A requested message is read straight into its buffer; an unrequested one is buffered. A send
 * passes as much as the system takes, and the rest when it takes more.
 *
 * A process that a rank has forked closes the connections: the system ends a connection when the
 * last process that has it ends, and ranks of other hosts would otherwise wait for a rank that was
 * killed as long as a child of it lives. A child that runs another program has lost the
 * connections by then. A handler of fork has no argument, so that what it works on is global. It
 * is removed with the library, if that is unloaded: the system knows from which library it comes.
 */
#include "fabric/sockets/sockets.h"

#include "base/status.h"
#include "fabric/bootstrap.h"
#include "fabric/sockets/hello.h"
#include "fabric/sockets/socket.h"
#include "fabric/sockets/state.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sectile/sectile.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- Forked processes ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sct_sockets *wires; /* a list of those of this process */

static void lock_all(void) {
    pthread_mutex_lock(&lock);
}

static void unlock_all(void) {
    pthread_mutex_unlock(&lock);
}

/* The parent's connections go on, so that nothing is sent. */
static void close_in_child(void) {
    for (const sct_sockets *wire = wires; wire; wire = wire->next)
        for (int rank = 0; rank < wire->base.size; rank++)
            if (wire->links[rank].fd >= 0) {
                close(wire->links[rank].fd);
                wire->links[rank].fd = -1;
            }
    pthread_mutex_unlock(&lock);
}

static void handle_forks(void) {
    pthread_atfork(lock_all, unlock_all, close_in_child);
}

/* Has the connections closed in processes that are forked, from now on until the release. */
static void fork_guard(sct_sockets *wire) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, handle_forks);
    pthread_mutex_lock(&lock);
    wire->next = wires;
    wires = wire;
    pthread_mutex_unlock(&lock);
}

static void fork_release(sct_sockets *wire) {
    pthread_mutex_lock(&lock);
    sct_sockets **link = &wires;
    while (*link && *link != wire)
        link = &(*link)->next;
    if (*link)
        *link = wire->next;
    pthread_mutex_unlock(&lock);
}

/* A number that is free may be that of another file, so no process is forked in between. */
void sct_link_close(sct_link *link) {
    shutdown(link->fd, SHUT_RDWR);
    pthread_mutex_lock(&lock);
    close(link->fd);
    link->fd = -1;
    pthread_mutex_unlock(&lock);
}

static sct_status failure(int rank, const char *what) {
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot %s: %s", rank, what, strerror(errno));
}

/* ---- Connections ---- */

static sct_status listen_anywhere(int rank, int *fd, sct_endpoint *mine) {
    in_port_t port;
    if (!sct_socket_listen(0, fd, &port))
        return failure(rank, "listen");
    if (getrandom(&mine->key, sizeof mine->key, 0) != sizeof mine->key)
        return failure(rank, "get random numbers");
    sct_addresses_list(&mine->addresses);
    mine->addresses.port = port;
    return SCT_OK;
}

static sct_status connect_to(const sct_endpoint *endpoints, int rank, int other, int *fd) {
    struct sockaddr_storage name;
    socklen_t length =
        sct_addresses_choose(&endpoints[rank].addresses, &endpoints[other].addresses, &name);
    sct_hello hello = sct_hello_make(endpoints[0].key, rank, other);
    if (sct_socket_connect((struct sockaddr *)&name, length, fd) &&
        send(*fd, &hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello)
        return SCT_OK;
    /* EINPROGRESS is what the system says when the time limit ends */
    const char *why = errno == EINPROGRESS ? "no answer" : strerror(errno);
    return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot connect to rank %d: %s", rank, other,
                    why);
}

/* Signals are blocked meanwhile, since one would end calls that have a time limit. */
static sct_status connect_to_lower(const sct_endpoint *endpoints, const sct_bootstrap *ranks,
                                   int *fds) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    sct_status status = SCT_OK;
    for (int other = 0; other < ranks->ranks && status == SCT_OK; other++)
        if (!sct_addresses_are_valid(&endpoints[other].addresses))
            status = sct_fail(SCT_NO_ENGINE, "sockets: rank %d has no address", other);
    for (int other = 0; other < ranks->rank && status == SCT_OK; other++)
        status = connect_to(endpoints, ranks->rank, other, &fds[other]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* A rank that does not listen has failed. */
static bool all_listen(const sct_endpoint *endpoints, int ranks) {
    for (int rank = 0; rank < ranks; rank++)
        if (endpoints[rank].addresses.port == 0)
            return false;
    return true;
}

/* Makes a connection non-blocking, or closes it if this rank has failed. */
static void make_ready(int *fd, sct_status status) {
    if (*fd < 0)
        return;
    if (status != SCT_OK) {
        close(*fd);
        *fd = -1;
        return;
    }
    sct_socket_set_up(*fd);
    fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) | O_NONBLOCK);
}

/* Collective, also on ranks that have failed before. fds[r], which is -1, becomes a non-blocking
 * connection to rank r, but for the rank itself and for ranks that were not reached. */
static sct_status sockets_connect(const sct_bootstrap *ranks, sct_status before, int *fds) {
    sct_endpoint mine = {.addresses.port = 0}, endpoints[SCT_SOCKETS_MOST_RANKS];
    int listener = -1;
    sct_status status = before;
    if (status == SCT_OK)
        status = listen_anywhere(ranks->rank, &listener, &mine);
    sct_status gathered = sct_bootstrap_gather(ranks, &mine, sizeof mine, endpoints);
    status = gathered == SCT_OK ? status : gathered;
    sct_status accepted = SCT_OK;
    bool all = status == SCT_OK && all_listen(endpoints, ranks->ranks);
    if (all)
        status = connect_to_lower(endpoints, ranks, fds);
    if (all && status == SCT_OK)
        accepted = sct_hello_accept(endpoints[0].key, ranks->rank, ranks->ranks, listener, fds);
    /* a rank that cannot connect knows why, one that waited for it in vain does not */
    status = sct_bootstrap_agree(ranks, status);
    status = status == SCT_OK ? accepted : status;
    for (int rank = 0; rank < ranks->ranks; rank++)
        make_ready(&fds[rank], status);
    if (listener >= 0)
        close(listener);
    return status;
}

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
    if (!self->cancelled && link->out.first == SCT_NO_SLOT)
        (void)send(link->fd, &farewell, sizeof farewell, MSG_NOSIGNAL);
    sct_link_close(link);
}

static void wire_close(sct_wire *wire) {
    sct_sockets *self = self_of(wire);
    fork_release(self);
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
                          .early = none};
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
    memset(fds, -1, sizeof fds);
    status = sockets_connect(ranks, status, fds);
    if (status == SCT_OK) {
        assert(self);
        status = watch(self, fds);
        fork_guard(self);
    }
    status = sct_bootstrap_agree(ranks, status);
    if (status == SCT_OK)
        *wire = &self->base;
    else if (self)
        wire_close(&self->base);
    return status;
}
