/* hello.c - accepts connections, and distinguishes ranks from strangers. */
#include "fabric/sockets/hello.h"

#include "base/clock.h"
#include "base/log.h"
#include "fabric/sockets/sockets.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* STRANGERS: how many silent callers are listened to beside all ranks. Of more, the oldest is
 * turned away, but only once its hello has been read: a rank sends its hello at once, which may
 * have arrived. */
enum { PATIENCE_S = 3, STRANGERS = 64, MOST = SCT_SOCKETS_MOST_RANKS + STRANGERS };

/* Connections whose hello has not arrived, the oldest first. */
typedef struct callers {
    int count;
    int fd[MOST];
    size_t received[MOST]; /* bytes of the hello */
    sct_hello hello[MOST];
} callers;

/* Who waits for whom: fds[r] is -1 as long as rank r has not come. */
typedef struct reception {
    sct_siphash_key key;
    int rank, ranks;
    int *fds;
    int missing;
    const sct_opening *opening; /* NULL: it does not answer */
    const char *where;          /* of the listener, if a long wait is to be logged; or NULL */
    int again;                  /* the last rank that has come again; 0: none */
    int refused;                /* errno of the last accept; 0: it succeeded */
} reception;

sct_hello sct_hello_make(sct_siphash_key key, int rank, int wanted) {
    sct_hello made = {.rank = rank, .wanted = wanted};
    made.proof = sct_siphash(key, &made, offsetof(sct_hello, proof));
    return made;
}

/* Comparing one word takes the same time, whatever it holds. */
static bool is_proven(sct_siphash_key key, const sct_hello *hello) {
    return sct_hello_make(key, hello->rank, hello->wanted).proof == hello->proof;
}

static void forget(callers *all, int at) {
    int after = --all->count - at;
    memmove(&all->fd[at], &all->fd[at + 1], (size_t)after * sizeof all->fd[0]);
    memmove(&all->received[at], &all->received[at + 1], (size_t)after * sizeof all->received[0]);
    memmove(&all->hello[at], &all->hello[at + 1], (size_t)after * sizeof all->hello[0]);
}

static void turn_away(callers *all, int at) {
    close(all->fd[at]);
    forget(all, at);
}

/* Reads more of a hello. True if it is complete, and from a higher rank. */
static bool read_hello(const reception *host, callers *all, int at, bool *ended) {
    sct_hello *hello = &all->hello[at];
    ssize_t got =
        recv(all->fd[at], (char *)hello + all->received[at], sizeof *hello - all->received[at], 0);
    bool waits = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    all->received[at] += got > 0 ? (size_t)got : 0;
    *ended = (got <= 0 && !waits) || all->received[at] == sizeof *hello;
    return all->received[at] == sizeof *hello && is_proven(host->key, hello) &&
           hello->wanted == host->rank && hello->rank > host->rank;
}

/* The opening and the answer fit into the buffer of any connection. */
static void answer(const reception *host, int rank, int fd) {
    const sct_hello answer = sct_hello_make(host->key, host->rank, rank);
    if (host->opening)
        (void)send(fd, &answer, sizeof answer, MSG_NOSIGNAL);
}

/* Whether that rank is still missing, or may come again. */
static bool expects(const reception *host, int rank) {
    return rank < host->ranks && (host->opening || host->fds[rank] < 0);
}

static void keep(reception *host, int rank, int fd) {
    if (host->fds[rank] >= 0) {
        close(host->fds[rank]);
        host->again = rank;
    } else {
        host->missing--;
    }
    host->fds[rank] = fd;
}

/* Reads from a caller, and keeps it if it is a rank. */
static void receive(reception *host, callers *all, int at) {
    bool ended = false, is_rank = read_hello(host, all, at, &ended);
    int rank = all->hello[at].rank, fd = all->fd[at];
    if (is_rank)
        answer(host, rank, fd);
    if (is_rank && expects(host, rank)) {
        keep(host, rank, fd);
        forget(all, at);
    } else if (ended) {
        turn_away(all, at);
    }
}

/* Reads from the oldest caller once more, and turns it away unless it is a rank. */
static void make_room(reception *host, callers *all) {
    int before = all->count;
    receive(host, all, 0);
    if (all->count == before)
        turn_away(all, 0);
}

/* Accepts those that have called; of very many, the first, so that their hellos are read while
 * others keep calling. They may take more descriptors than this process has left. */
static void accept_callers(reception *host, callers *all, int listener) {
    for (int i = 0; i < MOST; i++) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        bool none = fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        bool scarce = fd < 0 && (errno == EMFILE || errno == ENFILE) && all->count > 0;
        if (!none)
            host->refused = fd < 0 ? errno : 0;
        if (fd < 0 && !scarce)
            return;
        if (scarce || all->count == MOST)
            make_room(host, all);
        if (scarce)
            continue;
        if (host->opening)
            (void)send(fd, host->opening, sizeof *host->opening, MSG_NOSIGNAL);
        all->fd[all->count] = fd;
        all->received[all->count++] = 0;
    }
}

/* Waits until somebody calls or has something to say, and reads from all of them, in the order in
 * which they called. */
static void poll_all(reception *host, callers *all, int listener, int ms) {
    struct pollfd watched[MOST + 1];
    int count = all->count;
    for (int i = 0; i < count; i++)
        watched[i] = (struct pollfd){.fd = all->fd[i], .events = POLLIN};
    watched[count] = (struct pollfd){.fd = listener, .events = POLLIN};
    if (poll(watched, (nfds_t)count + 1, ms) <= 0)
        return;
    for (int i = 0, at = 0; i < count; i++) {
        int before = all->count;
        if (watched[i].revents)
            receive(host, all, at);
        at += all->count == before;
    }
    if (watched[count].revents && host->missing > 0)
        accept_callers(host, all, listener);
}

static int first_missing(const reception *host) {
    int first = host->rank + 1;
    while (host->fds[first] >= 0)
        first++;
    return first;
}

static sct_status name_missing(const reception *host) {
    if (host->refused)
        return sct_fail(SCT_NO_ENGINE, "sockets: rank %d cannot accept connections: %s", host->rank,
                        strerror(host->refused));
    int first = first_missing(host);
    if (host->missing == 1)
        return sct_fail(SCT_NO_ENGINE, "sockets: rank %d has not connected to rank %d", first,
                        host->rank);
    return sct_fail(SCT_NO_ENGINE,
                    "sockets: %d ranks have not connected to rank %d, the first of them rank %d",
                    host->missing, host->rank, first);
}

static void log_long_wait(const reception *host, int seconds) {
    sct_log_write(
        SCT_LOG_WARNING, host->rank,
        "rank %d has waited %d s at %s for %d of %d ranks, the first of them rank %d, and "
        "waits until SECTILE_START_SECONDS (%d) are over; all ranks must run at the same time, and "
        "be given the same place",
        host->rank, SCT_LONG_WAIT_S, host->where, host->missing, host->ranks, first_missing(host),
        seconds);
}

/* Of two times in ms; -1 is never. */
static int sooner(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

/* `renewed`: the limit begins again whenever a rank has come. */
static sct_status accept_all(reception *host, int listener, sct_deadline limit, bool renewed) {
    callers all = {.count = 0};
    sct_deadline quiet = sct_deadline_for(host->where ? SCT_LONG_WAIT_S : 0);
    sct_status status = SCT_OK;
    while (host->missing > 0 && status == SCT_OK) {
        int before = host->missing, left = sct_deadline_left_ms(&limit);
        int unlogged = sct_deadline_left_ms(&quiet);
        if (unlogged == 0) {
            log_long_wait(host, limit.seconds);
            quiet = sct_deadline_for(0);
        }
        poll_all(host, &all, listener, unlogged == 0 ? left : sooner(left, unlogged));
        if (renewed && host->missing < before)
            limit = sct_deadline_for(limit.seconds);
        else if (left == 0)
            status = name_missing(host);
    }
    while (all.count > 0)
        turn_away(&all, all.count - 1);
    return status;
}

sct_status sct_hello_accept(sct_siphash_key key, int rank, int ranks, int listener, int *fds) {
    reception host = {
        .key = key, .rank = rank, .ranks = ranks, .fds = fds, .missing = ranks - 1 - rank};
    return accept_all(&host, listener, sct_deadline_for(PATIENCE_S), true);
}

sct_status sct_hello_answer(sct_siphash_key key, const sct_opening *opening, int listener,
                            const char *where, int *fds, int *again) {
    int ranks = (int)opening->ranks;
    reception host = {.key = key,
                      .ranks = ranks,
                      .fds = fds,
                      .missing = ranks - 1,
                      .opening = opening,
                      .where = where};
    sct_status status = accept_all(&host, listener, sct_deadline_begin(), false);
    *again = host.again;
    return status;
}
