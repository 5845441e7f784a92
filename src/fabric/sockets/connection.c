/* connection.c - sends and receives on one connection; slots of messages, and lists of slots. */
#include "base/memory.h"
#include "base/status.h"
#include "fabric/sockets/fork.h"
#include "fabric/sockets/state.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Pieces of memory passed to the system at once, and messages read before other connections have
 * their turn. An unrequested message of up to SHORT bytes is buffered at once. */
enum { SENT_AT_ONCE = 64, READ_AT_ONCE = 32, SHORT = 2048 };

sct_status sct_link_lost(const sct_sockets *self, int rank) {
    return sct_fail(SCT_FAILED, "rank %d has lost its connection to rank %d", self->base.rank,
                    rank);
}

sct_status sct_link_check(int rank, uint64_t sent, uint64_t wanted) {
    return sent == wanted ? SCT_OK
                          : sct_fail(SCT_FAILED, "rank %d sent %llu bytes instead of %llu", rank,
                                     (unsigned long long)sent, (unsigned long long)wanted);
}

void sct_link_close(sct_link *link) {
    if (link->fd >= 0)
        shutdown(link->fd, SHUT_RDWR);
    sct_fork_close(&link->fd);
    link->state = SCT_LINK_LOST;
}

sct_status sct_link_lose(sct_sockets *self, sct_link *link) {
    bool idle = link->out.first == SCT_NO_SLOT && link->requested.first == SCT_NO_SLOT &&
                link->in == SCT_NO_SLOT;
    sct_link_close(link);
    return idle && link->ended ? SCT_OK : sct_link_lost(self, link->rank);
}

/* Reads what the other rank sent before the connection was lost, which may be why it failed. */
static sct_status lose_when_read(sct_sockets *self, sct_link *link) {
    sct_status status = self->cancelled ? SCT_OK : sct_link_pull(self, link);
    return status == SCT_OK && link->fd >= 0 ? sct_link_lose(self, link) : status;
}

static bool may_retry(void) {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* ---- Sending ---- */

static void note_full(sct_sockets *self, sct_link *link, bool full) {
    struct epoll_event event = {.events = full ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = link};
    if (link->full != full)
        epoll_ctl(self->poll, EPOLL_CTL_MOD, link->fd, &event);
    link->full = full;
}

/* Lists the rest of a message: its head, and lines. */
static size_t list_message(sct_message_slot *sent, struct iovec *pieces, size_t count) {
    size_t of_head = sent->moved < sizeof sent->head ? sent->moved : sizeof sent->head;
    size_t at = sent->moved - of_head;
    pieces[count++] = (struct iovec){(char *)&sent->head + of_head, sizeof sent->head - of_head};
    while (at < sent->head.bytes && count < SENT_AT_ONCE) {
        size_t within = at % sent->width, left = sent->width - within;
        pieces[count++] =
            (struct iovec){sent->bytes + at / sent->width * sent->pitch + within, left};
        at += left;
    }
    return count;
}

/* Lists the rest of the first messages. */
static size_t list_pieces(const sct_sockets *self, const sct_link *link, struct iovec *pieces) {
    size_t count = 0;
    for (int at = link->out.first; at != SCT_NO_SLOT && count < SENT_AT_ONCE;
         at = self->slots[at].next)
        count = list_message(&self->slots[at], pieces, count);
    return count;
}

static void note_sent(sct_sockets *self, sct_link *link, size_t bytes) {
    while (bytes > 0) {
        sct_message_slot *sent = &self->slots[link->out.first];
        size_t left = sizeof sent->head + sent->head.bytes - sent->moved;
        size_t part = bytes < left ? bytes : left;
        sent->moved += part;
        bytes -= part;
        if (part == left)
            self->slots[sct_slot_first(self, &link->out)].state = SCT_MESSAGE_DONE;
    }
}

sct_status sct_link_push(sct_sockets *self, sct_link *link) {
    while (link->out.first != SCT_NO_SLOT) {
        struct iovec pieces[SENT_AT_ONCE];
        struct msghdr message = {.msg_iov = pieces, .msg_iovlen = list_pieces(self, link, pieces)};
        ssize_t bytes = sendmsg(link->fd, &message, MSG_NOSIGNAL);
        if (bytes < 0 && !may_retry())
            return lose_when_read(self, link);
        if (bytes < 0)
            break;
        note_sent(self, link, (size_t)bytes);
    }
    note_full(self, link, link->out.first != SCT_NO_SLOT);
    return SCT_OK;
}

/* ---- Receiving ---- */

void sct_link_finish(sct_sockets *self, int at) {
    sct_message_slot *slot = &self->slots[at];
    slot->state = slot->state == SCT_MESSAGE_ARRIVES ? SCT_MESSAGE_ARRIVED : SCT_MESSAGE_DONE;
}

static sct_status buffer_message(sct_sockets *self, int rank, const sct_head *head, int *at) {
    sct_message_slot early = {.state = SCT_MESSAGE_ARRIVES, .rank = rank, .head = *head};
    if (head->bytes <= self->base.most_bytes)
        early.bytes = malloc(head->bytes + 1);
    if (!early.bytes)
        return sct_fail(SCT_FAILED, "no memory for a message of %llu bytes from rank %d",
                        (unsigned long long)head->bytes, rank);
    sct_status status = sct_slot_take(self, &early, at);
    if (status == SCT_OK)
        sct_slot_append(self, &self->early, *at);
    else
        free(early.bytes);
    return status;
}

sct_status sct_link_destination(sct_sockets *self, sct_link *link, const sct_head *head, int *at) {
    *at = sct_slot_find(self, &link->requested, link->rank, head->kind, false);
    if (*at == SCT_NO_SLOT)
        return buffer_message(self, link->rank, head, at);
    return sct_link_check(link->rank, head->bytes, self->slots[*at].head.bytes);
}

/* Handles a head that has arrived. */
static sct_status begin_message(sct_sockets *self, sct_link *link) {
    link->head_moved = 0;
    if (link->head.kind == SCT_KIND_FAREWELL) {
        link->ended = true;
        return SCT_OK;
    }
    sct_status status = sct_link_destination(self, link, &link->head, &link->in);
    if (status != SCT_OK || link->head.bytes > 0)
        return status;
    sct_link_finish(self, link->in);
    link->in = SCT_NO_SLOT;
    return SCT_OK;
}

/* Assigns what was read to the current message, then to the next head. */
static void note_read(sct_sockets *self, sct_link *link, size_t bytes) {
    if (link->in != SCT_NO_SLOT) {
        sct_message_slot *in = &self->slots[link->in];
        size_t left = in->head.bytes - in->moved, part = bytes < left ? bytes : left;
        in->moved += part;
        bytes -= part;
        if (part < left)
            return;
        sct_link_finish(self, link->in);
        link->in = SCT_NO_SLOT;
    }
    link->head_moved += bytes;
}

static bool head_is_here(const sct_link *link) {
    return link->head_moved == sizeof link->head;
}

/* True if a long message is announced that nobody has requested yet. Reading it waits, since it may
 * be requested soon and then needs no buffer. */
static bool may_be_requested(const sct_sockets *self, const sct_link *link) {
    if (link->head.bytes <= SHORT)
        return false;
    for (int at = link->requested.first; at != SCT_NO_SLOT; at = self->slots[at].next)
        if (self->slots[at].head.kind == link->head.kind)
            return false;
    return true;
}

/* Reads more of the current message and the next head. */
static ssize_t read_more(sct_sockets *self, sct_link *link, size_t *wanted) {
    struct iovec pieces[2] = {{.iov_base = NULL}};
    if (link->in != SCT_NO_SLOT) {
        sct_message_slot *in = &self->slots[link->in];
        pieces[0] = (struct iovec){in->bytes + in->moved, in->head.bytes - in->moved};
    }
    pieces[1] = (struct iovec){(char *)&link->head + link->head_moved,
                               sizeof link->head - link->head_moved};
    *wanted = pieces[0].iov_len + pieces[1].iov_len;
    return readv(link->fd, pieces, 2);
}

sct_status sct_link_pull(sct_sockets *self, sct_link *link) {
    size_t wanted = 0;
    ssize_t bytes = 0;
    sct_status status = head_is_here(link) ? begin_message(self, link) : SCT_OK;
    for (int i = 0; i < READ_AT_ONCE && status == SCT_OK && (size_t)bytes == wanted; i++) {
        bytes = read_more(self, link, &wanted);
        if (bytes < 0 && may_retry())
            return SCT_OK;
        if (bytes <= 0)
            return sct_link_lose(self, link);
        note_read(self, link, (size_t)bytes);
        if (head_is_here(link) && may_be_requested(self, link))
            return SCT_OK;
        if (head_is_here(link))
            status = begin_message(self, link);
    }
    return status;
}

/* ---- Slots of messages ---- */

sct_status sct_slot_take(sct_sockets *self, const sct_message_slot *made, int *at) {
    if (self->free.first != SCT_NO_SLOT) {
        *at = sct_slot_first(self, &self->free);
    } else {
        sct_message_slot *slots =
            sct_memory_grow(self->slots, self->used, &self->room, sizeof *slots);
        if (!slots)
            return sct_no_memory("one more message");
        self->slots = slots;
        *at = self->used++;
    }
    self->slots[*at] = *made;
    return SCT_OK;
}

void sct_slot_free(sct_sockets *self, int at) {
    self->slots[at].state = SCT_MESSAGE_NONE;
    sct_slot_append(self, &self->free, at);
}

void sct_slot_append(sct_sockets *self, sct_slot_list *to, int at) {
    self->slots[at].next = SCT_NO_SLOT;
    if (to->first == SCT_NO_SLOT)
        to->first = at;
    else
        self->slots[to->last].next = at;
    to->last = at;
}

/* Removes the slot behind `before`. */
static int take_out(sct_sockets *self, sct_slot_list *from, int before) {
    int *place = before == SCT_NO_SLOT ? &from->first : &self->slots[before].next;
    int at = *place;
    *place = self->slots[at].next;
    if (from->last == at)
        from->last = before;
    return at;
}

int sct_slot_first(sct_sockets *self, sct_slot_list *from) {
    return take_out(self, from, SCT_NO_SLOT);
}

int sct_slot_find(sct_sockets *self, sct_slot_list *from, int rank, int64_t kind, bool arrived) {
    int before = SCT_NO_SLOT, at;
    for (at = from->first; at != SCT_NO_SLOT; before = at, at = self->slots[at].next) {
        const sct_message_slot *slot = &self->slots[at];
        if (slot->head.kind == kind && (rank < 0 || slot->rank == rank) &&
            (!arrived || slot->state == SCT_MESSAGE_ARRIVED))
            return take_out(self, from, before);
    }
    return SCT_NO_SLOT;
}
