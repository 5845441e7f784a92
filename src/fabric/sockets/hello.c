/* hello.c - accepts connections, and tells ranks from strangers. */
#include "fabric/sockets/hello.h"

#include "fabric/sockets/sockets.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A rank sends its hello at once, so of many that have not yet, the first are strangers. STRANGERS:
 * how many of those are listened to beside all ranks. */
enum { PATIENCE_MS = 3000, STRANGERS = 64, MOST = SCT_SOCKETS_MOST_RANKS + STRANGERS };

/* Connections whose hello has not arrived, the oldest first. */
typedef struct callers {
    int count;
    int fd[MOST];
    size_t heard[MOST]; /* bytes of the hello */
    sct_hello hello[MOST];
} callers;

sct_hello sct_hello_make(sct_siphash_key key, int rank, int wanted) {
    sct_hello made = {.rank = rank, .wanted = wanted};
    made.proof = sct_siphash(key, &made, offsetof(sct_hello, proof));
    return made;
}

/* Comparing one word takes the same time, whatever it holds. */
static bool is_proven(sct_siphash_key key, const sct_hello *hello) {
    return sct_hello_make(key, hello->rank, hello->wanted).proof == hello->proof;
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

static void forget(callers *all, int at) {
    int after = --all->count - at;
    memmove(&all->fd[at], &all->fd[at + 1], (size_t)after * sizeof all->fd[0]);
    memmove(&all->heard[at], &all->heard[at + 1], (size_t)after * sizeof all->heard[0]);
    memmove(&all->hello[at], &all->hello[at + 1], (size_t)after * sizeof all->hello[0]);
}

static void turn_away(callers *all, int at) {
    close(all->fd[at]);
    forget(all, at);
}

static void accept_callers(callers *all, int listener) {
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (all->count == MOST)
            turn_away(all, 0);
        all->fd[all->count] = fd;
        all->heard[all->count++] = 0;
    }
}

/* Reads more of a hello. True if it is complete, and the caller a rank that is still missing. */
static bool hear(sct_siphash_key key, int rank, int ranks, const int *fds, callers *all, int at,
                 bool *ended) {
    sct_hello *hello = &all->hello[at];
    ssize_t got =
        recv(all->fd[at], (char *)hello + all->heard[at], sizeof *hello - all->heard[at], 0);
    bool waits = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    all->heard[at] += got > 0 ? (size_t)got : 0;
    *ended = (got <= 0 && !waits) || all->heard[at] == sizeof *hello;
    return all->heard[at] == sizeof *hello && is_proven(key, hello) && hello->wanted == rank &&
           hello->rank > rank && hello->rank < ranks && fds[hello->rank] < 0;
}

/* Hears all callers that have something to say; returns how many ranks were among them. */
static int hear_all(sct_siphash_key key, int rank, int ranks, int *fds, callers *all,
                    const struct pollfd *watched) {
    int found = 0;
    for (int at = all->count - 1; at >= 0; at--) {
        bool ended = false;
        if (!watched[at].revents)
            continue;
        if (hear(key, rank, ranks, fds, all, at, &ended)) {
            fds[all->hello[at].rank] = all->fd[at];
            forget(all, at);
            found++;
        } else if (ended) {
            turn_away(all, at);
        }
    }
    return found;
}

static sct_status wait_for_callers(const callers *all, int listener, int64_t end,
                                   struct pollfd *watched) {
    int64_t left = end - now_ms();
    for (int i = 0; i < all->count; i++)
        watched[i] = (struct pollfd){.fd = all->fd[i], .events = POLLIN};
    watched[all->count] = (struct pollfd){.fd = listener, .events = POLLIN};
    int ready = poll(watched, (nfds_t)all->count + 1, left > 0 ? (int)left : 0);
    if (ready > 0 || (ready < 0 && errno == EINTR))
        return SCT_OK;
    return sct_fail(SCT_NO_ENGINE, "sockets: a rank has not connected");
}

sct_status sct_hello_accept(sct_siphash_key key, int rank, int ranks, int listener, int *fds) {
    callers all = {.count = 0};
    struct pollfd watched[MOST + 1];
    sct_status status = SCT_OK;
    int64_t end = now_ms() + PATIENCE_MS;
    for (int missing = ranks - 1 - rank; missing > 0 && status == SCT_OK;) {
        int before = all.count;
        status = wait_for_callers(&all, listener, end, watched);
        if (status != SCT_OK)
            break;
        bool more = watched[before].revents;
        int found = hear_all(key, rank, ranks, fds, &all, watched);
        if (found > 0)
            end = now_ms() + PATIENCE_MS;
        missing -= found;
        if (more)
            accept_callers(&all, listener);
    }
    while (all.count > 0)
        turn_away(&all, all.count - 1);
    return status;
}
