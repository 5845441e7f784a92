/* hello.c - accepts connections, and distinguishes ranks from strangers. */
#include "fabric/sockets/hello.h"

#include "base/clock.h"
#include "base/log.h"
#include "fabric/sockets/fork.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* How many silent callers are listened to beside all ranks, and of how many ranks at most. Of more,
 * the oldest is turned away, but only once its hello has been read: a rank sends its hello at once,
 * which may have arrived. */
enum { STRANGERS = 64, MOST_RANKS = 256 };

sct_hello sct_hello_make(sct_siphash_key key, int rank, int wanted) {
    sct_hello made = {.rank = rank, .wanted = wanted};
    made.proof = sct_siphash(key, &made, offsetof(sct_hello, proof));
    return made;
}

/* Comparing one word takes the same time, whatever it holds. */
bool sct_hello_is_proven(sct_siphash_key key, const sct_hello *hello, int wanted) {
    return sct_hello_make(key, hello->rank, hello->wanted).proof == hello->proof &&
           hello->wanted == wanted && hello->rank >= 0 && hello->rank != wanted;
}

/* ---- Reception ---- */

sct_status sct_reception_open(sct_reception *reception, int ranks) {
    reception->most = (ranks < MOST_RANKS ? ranks : MOST_RANKS) + STRANGERS;
    reception->callers = malloc((size_t)reception->most * sizeof *reception->callers);
    reception->watched = malloc(((size_t)reception->most + 1) * sizeof *reception->watched);
    return reception->callers && reception->watched ? SCT_OK : sct_no_memory("who connects");
}

static void forget(sct_reception *self, int at) {
    sct_caller *caller = &self->callers[at];
    memmove(caller, caller + 1, (size_t)(--self->count - at) * sizeof *caller);
}

static void turn_away(sct_reception *self, int at) {
    sct_fork_close(&self->callers[at].fd);
    forget(self, at);
}

void sct_reception_close(sct_reception *self) {
    while (self->count > 0)
        turn_away(self, self->count - 1);
    sct_fork_close(&self->listener);
    free(self->callers);
    free(self->watched);
}

/* Reads more of a hello. True if it is complete, and from a rank. */
static bool read_hello(const sct_reception *self, sct_caller *caller, bool *ended) {
    size_t left = sizeof caller->hello - caller->received;
    ssize_t got = recv(caller->fd, (char *)&caller->hello + caller->received, left, 0);
    bool waits = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    caller->received += got > 0 ? (size_t)got : 0;
    *ended = (got <= 0 && !waits) || caller->received == sizeof caller->hello;
    return caller->received == sizeof caller->hello &&
           sct_hello_is_proven(self->key, &caller->hello, self->rank);
}

/* Reads from a caller, and hands it over if it is a rank. */
static void receive(sct_reception *self, int at) {
    sct_caller *caller = &self->callers[at];
    bool ended = false, is_rank = read_hello(self, caller, &ended);
    if (is_rank && self->admit(self->context, caller->hello.rank, caller->fd))
        forget(self, at);
    else if (ended)
        turn_away(self, at);
}

/* Reads from the oldest caller once more, and turns it away unless it is a rank. */
static void make_room(sct_reception *self) {
    int before = self->count;
    receive(self, 0);
    if (self->count == before)
        turn_away(self, 0);
}

/* Returns an errno, or 0. */
static int accept_one(sct_reception *self) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (self->count == self->most)
        make_room(self);
    sct_fork_block();
    int fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        self->callers[self->count++] = (sct_caller){.fd = fd};
    sct_fork_allow();
    if (fd >= 0 && self->watch >= 0)
        (void)epoll_ctl(self->watch, EPOLL_CTL_ADD, fd, &event);
    if (fd >= 0 && self->opening)
        (void)send(fd, self->opening, sizeof *self->opening, MSG_NOSIGNAL);
    return error;
}

/* Other errors are of a caller that is gone, or tell that there is none. */
static bool is_scarce(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Accepts those that have called; of very many, the first, so that their hellos are read while
 * others keep calling. They may take more descriptors than this process has left. */
static void accept_callers(sct_reception *self) {
    int error = 0;
    for (int i = 0; i < self->most && error == 0; i++) {
        error = accept_one(self);
        if (is_scarce(error) && self->count > 0) {
            make_room(self);
            error = 0;
        }
    }
    self->refused = is_scarce(error) ? error : 0;
}

void sct_reception_pass(sct_reception *self, int ms) {
    int count = self->count;
    for (int i = 0; i < count; i++)
        self->watched[i] = (struct pollfd){.fd = self->callers[i].fd, .events = POLLIN};
    self->watched[count] = (struct pollfd){.fd = self->listener, .events = POLLIN};
    if (poll(self->watched, (nfds_t)count + 1, ms) <= 0)
        return;
    for (int i = 0, at = 0; i < count; i++) {
        int before = self->count;
        if (self->watched[i].revents)
            receive(self, at);
        at += self->count == before;
    }
    if (self->watched[count].revents)
        accept_callers(self);
}

/* ---- Waiting for all ranks ---- */

/* Who is waited for: fds[r] is -1 as long as rank r has not come. */
typedef struct rendezvous {
    sct_reception at;
    int ranks, missing;
    int *fds;
    const char *where; /* the listener is, if a long wait is to be logged; or NULL */
    sct_unexpected unexpected;
} rendezvous;

/* The opening and the answer fit into the buffer of any connection. */
static bool admit(void *context, int rank, int fd) {
    rendezvous *self = context;
    const sct_hello answer = sct_hello_make(self->at.key, self->at.rank, rank);
    (void)send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
    if (rank >= self->ranks) {
        self->unexpected.beyond = rank;
        return false;
    }
    if (self->fds[rank] >= 0) {
        close(self->fds[rank]);
        self->unexpected.again = rank;
    } else {
        self->missing--;
    }
    self->fds[rank] = fd;
    return true;
}

static int first_missing(const rendezvous *self) {
    int first = 1;
    while (self->fds[first] >= 0)
        first++;
    return first;
}

static void log_long_wait(const rendezvous *self, int seconds) {
    sct_log_write(
        SCT_LOG_WARNING, self->at.rank,
        "rank %d has waited %d s at %s for %d of %d ranks, the first of them rank %d, and "
        "waits until SECTILE_START_SECONDS (%d) are over; all ranks must run at the same time, and "
        "be given the same place",
        self->at.rank, SCT_LONG_WAIT_S, self->where, self->missing, self->ranks,
        first_missing(self), seconds);
}

/* Of two times in ms; -1 is never. */
static int sooner(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

static sct_status await_all(rendezvous *self) {
    sct_deadline limit = sct_deadline_begin();
    sct_deadline quiet = sct_deadline_for(self->where ? SCT_LONG_WAIT_S : 0);
    while (self->missing > 0) {
        int left = sct_deadline_left_ms(&limit), unlogged = sct_deadline_left_ms(&quiet);
        if (unlogged == 0) {
            log_long_wait(self, limit.seconds);
            quiet = sct_deadline_for(0);
        }
        sct_reception_pass(&self->at, unlogged == 0 ? left : sooner(left, unlogged));
        if (left == 0)
            break;
    }
    return self->missing > 0 && self->at.refused
               ? sct_fail(SCT_FAILED, "rank 0 cannot accept connections: %s",
                          strerror(self->at.refused))
               : SCT_OK;
}

sct_status sct_hello_answer(sct_siphash_key key, const sct_opening *opening, int listener,
                            const char *where, int *fds, sct_unexpected *unexpected) {
    int ranks = (int)opening->ranks;
    rendezvous self = {
        .at = {.key = key, .listener = listener, .watch = -1, .opening = opening, .admit = admit},
        .ranks = ranks,
        .missing = ranks - 1,
        .fds = fds,
        .where = where};
    self.at.context = &self;
    sct_status status = sct_reception_open(&self.at, ranks);
    if (status == SCT_OK)
        status = await_all(&self);
    self.at.listener = -1; /* it stays the caller's */
    sct_reception_close(&self.at);
    *unexpected = self.unexpected;
    return status;
}
