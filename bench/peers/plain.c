/* plain.c - a thread that naps for 1 ms between looks. One that wakes for each buffer, threads that
 * block, and longer naps cost computation more, shorter ones as much. */
#include "plain.h"

#include "driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 64, BUFFER = 1 << 18, NAP_NS = 1000000 };

static struct {
    int rank, ranks;
    struct link {
        int fd; /* none to the rank itself */
        size_t to_send, to_come;
    } links[MOST_RANKS];
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
    plain.links[rank].fd = fd;
}

static void answer(int listening) {
    int rank, fd = accept(listening, NULL, NULL);
    if (fd < 0 || recv(fd, &rank, sizeof rank, MSG_WAITALL) != sizeof rank || rank < 0 ||
        rank >= plain.ranks)
        fail("a connection failed");
    plain.links[rank].fd = fd;
}

void plain_open(int rank, int ranks) {
    struct sockaddr_in own, all[MOST_RANKS];
    if (ranks > MOST_RANKS)
        fail("%d ranks are too many", ranks);
    plain.rank = rank;
    plain.ranks = ranks;
    plain.links[rank].fd = -1;
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
            close(plain.links[rank].fd);
    free(plain.sent);
    free(plain.received);
}

/* ---- Transfers ---- */

/* Bytes for which the system has no room, or that have not come, are left for later. */
static size_t moved(ssize_t bytes) {
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR))
        fail("a connection is lost");
    return bytes < 0 ? 0 : (size_t)bytes;
}

static size_t at_once(size_t bytes) {
    return bytes < BUFFER ? bytes : BUFFER;
}

static void move(struct link *link) {
    size_t bytes;
    for (bytes = 1; bytes > 0 && link->to_send > 0; link->to_send -= bytes)
        bytes = moved(send(link->fd, plain.sent, at_once(link->to_send), MSG_DONTWAIT));
    for (bytes = 1; bytes > 0 && link->to_come > 0; link->to_come -= bytes)
        bytes = moved(recv(link->fd, plain.received, at_once(link->to_come), MSG_DONTWAIT));
}

static void *transfer(void *ignored) {
    (void)ignored;
    for (bool left = true; left;) {
        left = false;
        for (int rank = 0; rank < plain.ranks; rank++) {
            move(&plain.links[rank]);
            left |= plain.links[rank].to_send + plain.links[rank].to_come > 0;
        }
        if (left)
            nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    }
    return NULL;
}

void plain_start(size_t bytes) {
    for (int rank = 0; rank < plain.ranks; rank++) {
        size_t part = rank == plain.rank ? 0 : bytes / (size_t)(plain.ranks - 1);
        plain.links[rank].to_send = plain.links[rank].to_come = part;
    }
    if (pthread_create(&plain.thread, NULL, transfer, NULL))
        fail("no thread");
}

void plain_wait(void) {
    pthread_join(plain.thread, NULL);
}
