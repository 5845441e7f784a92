/* connect.c - connections on demand: one between two ranks, from the first message on.
 *
 * The rank that sends first calls the other, and says its hello; the other answers with a hello of
 * its own. Then both know that the other has the key, and messages flow both ways. Nothing waits
 * for that but the messages of this link.
 *
 * If both call, the lower rank's connection is kept: the lower one refuses that of the higher one,
 * which accepts that of the lower. So a rank whose connection is refused does not fail at once. The
 * other's may be on its way; or, if the other has failed, the report of that, by way of ranks that
 * are connected to both. Nor does a rank fail that was turned away among too many strangers. It
 * tries again for a while. */
#include "base/clock.h"
#include "base/memory.h"
#include "fabric/sockets/fork.h"
#include "fabric/sockets/state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static const int64_t again_ns = 200000000, patience_ns = 10000000000;

/* ---- Links ---- */

bool sct_link_is_open(const sct_sockets *self, int rank) {
    int at = self->peers[rank].at;
    return at >= 0 && self->links[at]->state == SCT_LINK_OPEN;
}

sct_status sct_link_to(sct_sockets *self, int rank, sct_link **link) {
    const sct_slot_list none = {SCT_NO_SLOT, SCT_NO_SLOT};
    sct_peer *peer = &self->peers[rank];
    if (peer->at >= 0) {
        *link = self->links[peer->at];
        return SCT_OK;
    }
    sct_fork_block();
    sct_link **links =
        sct_memory_grow(self->links, self->links_count, &self->links_room, sizeof(sct_link *));
    sct_link *made = links ? malloc(sizeof *made) : NULL;
    if (links)
        self->links = links;
    if (made) {
        *made = (sct_link){.rank = rank,
                           .fd = -1,
                           .host = ~peer->at,
                           .out = none,
                           .requested = none,
                           .in = SCT_NO_SLOT};
        peer->at = self->links_count++;
        links[peer->at] = made;
    }
    sct_fork_allow();
    *link = made;
    return made ? SCT_OK : sct_no_memory("one more connection");
}

/* Has the system report what arrives on a link and, if asked, when it can be sent to. */
static bool watch(const sct_sockets *self, sct_link *link, int how, bool sends) {
    struct epoll_event event = {.events = sends ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = link};
    return epoll_ctl(self->poll, how, link->fd, &event) == 0;
}

/* What waits is sent when the system says that it can be. */
static void open_link(const sct_sockets *self, sct_link *link) {
    link->state = SCT_LINK_OPEN;
    link->full = link->out.first != SCT_NO_SLOT;
    link->head_moved = 0;
    sct_socket_set_up(link->fd);
    (void)watch(self, link, EPOLL_CTL_MOD, link->full);
}

/* ---- Calling ---- */

/* While ranks connect for the first time, there may be another way between them. */
static sct_status status_of(const sct_sockets *self) {
    return self->starts ? SCT_NO_ENGINE : SCT_FAILED;
}

static sct_status fail_to_connect(const sct_sockets *self, sct_link *link, int error) {
    sct_link_close(link);
    return sct_fail(status_of(self), "sockets: rank %d cannot connect to rank %d: %s",
                    self->base.rank, link->rank, strerror(error));
}

/* Descriptors are for connections, unless the program has them. */
static sct_status fail_to_open(const sct_sockets *self, sct_link *link, int error) {
    int open = 0;
    if (error != EMFILE && error != ENFILE)
        return fail_to_connect(self, link, error);
    for (int i = 0; i < self->links_count; i++)
        open += self->links[i]->fd >= 0;
    sct_link_close(link);
    return sct_fail(status_of(self),
                    "sockets: rank %d has %d connections, and no file descriptor for that to rank "
                    "%d: %s (ulimit -n)",
                    self->base.rank, open, link->rank, strerror(error));
}

static sct_status call(sct_sockets *self, sct_link *link) {
    struct sockaddr_storage name;
    socklen_t length =
        sct_address_name(&self->hosts[link->host], self->peers[link->rank].port, &name);
    sct_fork_block();
    bool began = sct_socket_begin((struct sockaddr *)&name, length, &link->fd);
    sct_fork_allow();
    if (!began)
        return fail_to_open(self, link, errno);
    link->state = SCT_LINK_CONNECTS;
    link->head_moved = 0;
    return watch(self, link, EPOLL_CTL_ADD, true)
               ? SCT_OK
               : sct_fail(status_of(self), "sockets: rank %d cannot watch a connection",
                          self->base.rank);
}

sct_status sct_link_connect(sct_sockets *self, sct_link *link) {
    return link->state == SCT_LINK_NONE ? call(self, link) : SCT_OK;
}

/* Gives up this rank's own call. */
static void hang_up(const sct_sockets *self, sct_link *link) {
    (void)epoll_ctl(self->poll, EPOLL_CTL_DEL, link->fd, NULL);
    sct_fork_close(&link->fd);
}

static bool is_refusal(int error) {
    return error == 0 || error == ECONNREFUSED || error == ECONNRESET || error == EPIPE;
}

/* The call has failed; 0: the other rank has closed the connection. */
static sct_status end_call(sct_sockets *self, sct_link *link, int error) {
    int64_t now = sct_now_coarse_ns();
    if (link->until_ns == 0)
        link->until_ns = now + patience_ns;
    if (self->starts || !is_refusal(error) || now > link->until_ns)
        return fail_to_connect(self, link, error ? error : ECONNREFUSED);
    hang_up(self, link);
    link->state = SCT_LINK_REFUSED;
    link->again_ns = now + again_ns;
    self->refused++;
    return SCT_OK;
}

sct_status sct_links_retry(sct_sockets *self) {
    int64_t now = self->refused > 0 ? sct_now_coarse_ns() : 0;
    sct_status status = SCT_OK;
    for (int i = 0; i < self->links_count && self->refused > 0 && status == SCT_OK; i++) {
        sct_link *link = self->links[i];
        if (link->state != SCT_LINK_REFUSED || now < link->again_ns)
            continue;
        self->refused--;
        status = call(self, link);
    }
    return status;
}

static sct_status say_hello(sct_sockets *self, sct_link *link) {
    const sct_hello hello = sct_hello_make(self->reception.key, self->base.rank, link->rank);
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0)
        error = errno;
    if (error == 0 && send(link->fd, &hello, sizeof hello, MSG_NOSIGNAL) != sizeof hello)
        error = errno;
    if (error != 0)
        return end_call(self, link, error);
    (void)watch(self, link, EPOLL_CTL_MOD, false);
    link->state = SCT_LINK_GREETS;
    return SCT_OK;
}

static sct_status read_answer(sct_sockets *self, sct_link *link) {
    ssize_t got = recv(link->fd, (char *)&link->hello + link->head_moved,
                       sizeof link->hello - link->head_moved, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return SCT_OK;
    if (got <= 0)
        return end_call(self, link, got < 0 ? errno : 0);
    link->head_moved += (size_t)got;
    if (link->head_moved < sizeof link->hello)
        return SCT_OK;
    if (!sct_hello_is_proven(self->reception.key, &link->hello, self->base.rank) ||
        link->hello.rank != link->rank) {
        sct_link_close(link);
        return sct_fail(status_of(self),
                        "sockets: rank %d has connected to rank %d, but who answers has another "
                        "key",
                        self->base.rank, link->rank);
    }
    open_link(self, link);
    return SCT_OK;
}

sct_status sct_link_continue(sct_sockets *self, sct_link *link) {
    switch (link->state) {
    case SCT_LINK_CONNECTS:
        return say_hello(self, link);
    case SCT_LINK_GREETS:
        return read_answer(self, link);
    default:
        return SCT_OK;
    }
}

/* ---- Being called ---- */

/* The answer fits into the buffer of any connection. */
bool sct_link_admit(void *context, int rank, int fd) {
    sct_sockets *self = context;
    const sct_hello answer = sct_hello_make(self->reception.key, self->base.rank, rank);
    sct_link *link;
    if (rank >= self->base.size || sct_link_to(self, rank, &link) != SCT_OK)
        return false;
    bool calls = link->state == SCT_LINK_CONNECTS || link->state == SCT_LINK_GREETS;
    if (link->state == SCT_LINK_OPEN || link->state == SCT_LINK_LOST ||
        (calls && self->base.rank < rank) ||
        send(fd, &answer, sizeof answer, MSG_NOSIGNAL) != sizeof answer)
        return false;
    if (calls)
        hang_up(self, link);
    self->refused -= link->state == SCT_LINK_REFUSED;
    link->fd = fd;
    open_link(self, link);
    return true;
}
