/* plain.c - see plain.h. It wakes for a buffer of bytes that has come, not for each packet. */
#include "plain.h"

#include "driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_RANKS = 64, BUFFER = 1 << 18 };

static struct {
    int rank, ranks;
    struct pollfd links[MOST_RANKS]; /* of the rank itself and of those that are done: -1 */
    int fds[MOST_RANKS];
    size_t to_send[MOST_RANKS], to_come[MOST_RANKS];
    char *sent, *received;
    pthread_t thread;
} plain;

/* ---- Connections ---- */

static struct in_addr own_address(void) {
    struct ifaddrs *all;
    struct in_addr found = {htonl(INADDR_LOOPBACK)};
    if (getifaddrs(&all))
        fail("no addresses");
    for (const struct ifaddrs *at = all; at; at = at->ifa_next)
        if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET && !(at->ifa_flags & IFF_LOOPBACK))
            found = ((const struct sockaddr_in *)(const void *)at->ifa_addr)->sin_addr;
    freeifaddrs(all);
    return found;
}

static int listen_at(struct sockaddr_in *where) {
    socklen_t length = sizeof *where;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *where = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = own_address()};
    if (fd < 0 || bind(fd, (struct sockaddr *)where, sizeof *where) || listen(fd, MOST_RANKS) ||
        getsockname(fd, (struct sockaddr *)where, &length))
        fail("a rank cannot be connected to");
    return fd;
}

static void call(int rank, const struct sockaddr_in *where) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)where, sizeof *where) ||
        send(fd, &plain.rank, sizeof plain.rank, 0) != sizeof plain.rank)
        fail("rank %d does not reach rank %d", plain.rank, rank);
    plain.fds[rank] = fd;
}

static void answer(int listening) {
    int rank, fd = accept(listening, NULL, NULL);
    if (fd < 0 || recv(fd, &rank, sizeof rank, MSG_WAITALL) != sizeof rank || rank < 0 ||
        rank >= plain.ranks)
        fail("a connection failed");
    plain.fds[rank] = fd;
}

void plain_open(int rank, int ranks) {
    struct sockaddr_in own, all[MOST_RANKS];
    if (ranks > MOST_RANKS)
        fail("%d ranks are too many", ranks);
    plain.rank = rank;
    plain.ranks = ranks;
    plain.fds[rank] = -1;
    plain.sent = calloc(1, BUFFER);
    plain.received = malloc(BUFFER);
    if (!plain.sent || !plain.received)
        fail("no memory");
    int listening = listen_at(&own);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int other = 0; other < rank; other++)
        call(other, &all[other]);
    for (int other = rank + 1; other < ranks; other++)
        answer(listening);
    close(listening);
}

void plain_close(void) {
    for (int rank = 0; rank < plain.ranks; rank++)
        if (rank != plain.rank)
            close(plain.fds[rank]);
    free(plain.sent);
    free(plain.received);
}

/* ---- Transfers ---- */

static size_t at_once(size_t bytes) {
    return bytes < BUFFER ? bytes : BUFFER;
}

static size_t moved(ssize_t bytes) {
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR))
        fail("a connection is lost");
    return bytes < 0 ? 0 : (size_t)bytes;
}

/* What it waits for next. */
static void note(int rank) {
    int wake_at = (int)at_once(plain.to_come[rank]);
    if (wake_at > 0)
        setsockopt(plain.fds[rank], SOL_SOCKET, SO_RCVLOWAT, &wake_at, sizeof wake_at);
    short events = (short)((wake_at > 0 ? POLLIN : 0) | (plain.to_send[rank] > 0 ? POLLOUT : 0));
    plain.links[rank] = (struct pollfd){.fd = events ? plain.fds[rank] : -1, .events = events};
}

static void move(int rank) {
    size_t *left = &plain.to_send[rank];
    if (plain.links[rank].revents & POLLOUT)
        *left -= moved(send(plain.fds[rank], plain.sent, at_once(*left), MSG_DONTWAIT));
    left = &plain.to_come[rank];
    if (plain.links[rank].revents & POLLIN)
        *left -= moved(recv(plain.fds[rank], plain.received, at_once(*left), MSG_DONTWAIT));
    note(rank);
}

static void *transfer(void *ignored) {
    (void)ignored;
    for (;;) {
        int open = 0;
        for (int rank = 0; rank < plain.ranks; rank++)
            open += plain.links[rank].fd >= 0;
        if (open == 0)
            return NULL;
        poll(plain.links, (nfds_t)plain.ranks, -1);
        for (int rank = 0; rank < plain.ranks; rank++)
            if (plain.links[rank].fd >= 0 && plain.links[rank].revents)
                move(rank);
    }
}

void plain_start(size_t bytes) {
    for (int rank = 0; rank < plain.ranks; rank++) {
        size_t part = rank == plain.rank ? 0 : bytes / (size_t)(plain.ranks - 1);
        plain.to_send[rank] = plain.to_come[rank] = part;
        note(rank);
    }
    if (pthread_create(&plain.thread, NULL, transfer, NULL))
        fail("no thread");
}

void plain_wait(void) {
    pthread_join(plain.thread, NULL);
}
