/* sockets_failing.c - the wire of sockets when strangers connect, ranks disagree, a rank ends or
 * gives up, or ranks cannot connect. */
#include "base/status.h"
#include "support/check.h"
#include "support/socket_team.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- Strangers ---- */

/* OF_EACH: more than the ranks could be kept waiting for, one after the other. */
enum { KINDS = 4, OF_EACH = 20, HELLO = 16, STRANGERS = KINDS * OF_EACH * SOCKET_RANKS };

typedef struct strangers {
    int fd[STRANGERS], count;
    struct timespec since;
} strangers;

static strangers all_strangers;

/* Connects and says so many bytes, then nothing more. */
static void call_port(in_port_t port, const void *words, size_t bytes) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = port};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    CHECK(send(fd, words, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    all_strangers.fd[all_strangers.count++] = fd;
}

/* As ones that are silent, say half a hello, garbage, or a hello without the key. */
static void call_in_all_ways(in_port_t port) {
    static const char garbage[HELLO] = "GET / HTTP/1.1\r";
    const int32_t words[HELLO / sizeof(int32_t)] = {SOCKET_RANKS - 1, 0, 17, 4};
    for (int i = 0; i < OF_EACH; i++) {
        call_port(port, words, 0);
        call_port(port, words, HELLO / 2);
        call_port(port, garbage, HELLO);
        call_port(port, words, HELLO);
    }
}

/* Connects to all listening sockets of this process. */
static void call_as_stranger(void) {
    int found = 0;
    for (int fd = 0; fd < 100 && found < SOCKET_RANKS; fd++) {
        int listens = 0;
        struct sockaddr_in6 name = {.sin6_port = 0};
        socklen_t size = sizeof listens, length = sizeof name;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens)
            continue;
        CHECK(getsockname(fd, (struct sockaddr *)&name, &length) == 0);
        call_in_all_ways(name.sin6_port); /* at the same place as one of IPv4 */
        found++;
    }
    CHECK(found == SOCKET_RANKS);
    clock_gettime(CLOCK_MONOTONIC, &all_strangers.since);
}

static void hang_up(void) {
    for (int i = 0; i < all_strangers.count; i++)
        close(all_strangers.fd[i]);
    CHECK(all_strangers.count == STRANGERS);
}

/* Milliseconds since the strangers have called. */
static long waited_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - all_strangers.since.tv_sec) * 1000 +
           (now.tv_nsec - all_strangers.since.tv_nsec) / 1000000;
}

/* Strangers are turned away, and the ranks connect without waiting for them. LIMIT_MS: less than
 * any wait for one, which would be of seconds. */
static void say_hello(sct_wire *wire, socket_member *self) {
    enum { LIMIT_MS = 1000 };
    long ms = waited_ms();
    printf("rank %d is connected %ld ms after %d strangers\n", wire->rank, ms, STRANGERS);
    CHECK_CASE(ms < LIMIT_MS, "strangers delay rank %d by %ld ms", wire->rank, ms);
    int next = (wire->rank + 1) % wire->size, before = (wire->rank + wire->size - 1) % wire->size;
    int got = -1;
    sct_message sent, received;
    CHECK(wire->ops->receive(wire, before, 0, &got, sizeof got, &received) == SCT_OK);
    CHECK(wire->ops->send(wire, next, 0, &wire->rank, sizeof wire->rank, &sent) == SCT_OK);
    socket_await(wire, sent);
    socket_await(wire, received);
    CHECK(got == before);
    socket_team_barrier(self);
}

/* ---- Ranks ---- */

/* Waits for the next failure, which may take several attempts to appear. */
static sct_status until_failure(sct_wire *wire) {
    sct_status status = SCT_OK;
    while (status == SCT_OK) {
        status = wire->ops->progress(wire);
        sched_yield();
    }
    return status;
}

static void disagree(sct_wire *wire, socket_member *self) {
    char bytes[100] = "";
    sct_message message;
    if (wire->rank == 0)
        CHECK(wire->ops->send(wire, 1, 2, bytes, 50, &message) == SCT_OK);
    if (wire->rank == 1) {
        CHECK(wire->ops->receive(wire, 0, 2, bytes, 51, &message) == SCT_OK);
        CHECK(until_failure(wire) == SCT_FAILED);
        CHECK(!strcmp(sct_last_reason(), "rank 0 sent 50 bytes instead of 51"));
    }
    socket_team_barrier(self);
}

static void too_long(sct_wire *wire, socket_member *self) {
    char bytes[100] = "";
    sct_message message;
    int rank;
    bool taken = false;
    sct_status status = SCT_OK;
    if (wire->rank == 0)
        CHECK(wire->ops->send(wire, 1, 2, bytes, 51, &message) == SCT_OK);
    while (wire->rank == 1 && status == SCT_OK && !taken) {
        CHECK(wire->ops->progress(wire) == SCT_OK);
        status = wire->ops->take(wire, 2, bytes, 50, &rank, &taken);
    }
    CHECK(wire->rank != 1 || status == SCT_FAILED);
    socket_team_barrier(self);
}

/* One rank ends. A rank that waits for it fails; one that does not goes on until it needs that
 * rank. */
static void end(sct_wire *wire, socket_member *self) {
    char byte = 0;
    sct_message message;
    if (wire->rank == 1)
        CHECK(wire->ops->receive(wire, 2, 0, &byte, 1, &message) == SCT_OK);
    socket_team_barrier(self);
    if (wire->rank == 2) {
        wire->ops->close(wire);
        socket_team_barrier(self);
        socket_team_barrier(self);
        pthread_exit(NULL);
    }
    socket_team_barrier(self);
    if (wire->rank == 1) {
        CHECK(until_failure(wire) == SCT_FAILED);
        CHECK(!strcmp(sct_last_reason(), "rank 1 has lost its connection to rank 2"));
    }
    for (int i = 0; wire->rank == 0 && i < 1000; i++)
        CHECK(wire->ops->progress(wire) == SCT_OK);
    if (wire->rank == 0) {
        CHECK(wire->ops->send(wire, 2, 0, &byte, 1, &message) == SCT_FAILED);
        CHECK(wire->ops->receive(wire, 2, 0, &byte, 1, &message) == SCT_FAILED);
        CHECK(wire->ops->send(wire, 1, 0, &byte, 1, &message) == SCT_OK);
    }
    socket_team_barrier(self);
}

/* One rank gives up. The others fail when its last message arrives, even if they wait for nothing.
 */
static void give_up(sct_wire *wire, socket_member *self) {
    int64_t word = 17, heard = 0;
    sct_message message;
    int from = -1;
    bool taken = false;
    if (wire->rank == 2) {
        wire->ops->cancel(wire);
        for (int to = 0; to < 2; to++)
            CHECK(wire->ops->send(wire, to, 0, &word, sizeof word, &message) == SCT_OK);
        wire->ops->close(wire);
        socket_team_barrier(self);
        socket_team_barrier(self);
        pthread_exit(NULL);
    }
    socket_team_barrier(self);
    for (int i = 0; i < 2; i++)
        CHECK(wire->ops->progress(wire) == SCT_OK);
    CHECK(wire->ops->take(wire, 0, &heard, sizeof heard, &from, &taken) == SCT_OK && taken);
    CHECK(heard == word && from == 2);
    CHECK(until_failure(wire) == SCT_FAILED);
    CHECK(!strcmp(sct_last_reason(), wire->rank ? "rank 1 has lost its connection to rank 2"
                                                : "rank 0 has lost its connection to rank 2"));
    socket_team_barrier(self);
}

/* Cancelled receives write nothing any more, and a message sent in part never seems complete.
 * Messages sent after it arrive, or the connection is lost. */
static void cancel(sct_wire *wire, socket_member *self) {
    enum { MANY = 200 };
    static const char ones[1 << 17] = {1};
    char last = 5, *bytes = calloc(1, sizeof ones);
    sct_message message;
    if (wire->rank == 1)
        CHECK(wire->ops->receive(wire, 0, 1, bytes, 1, &message) == SCT_OK);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        CHECK(wire->ops->send(wire, 1, 0, ones, sizeof ones, &message) == SCT_OK);
    if (wire->rank == 0) {
        wire->ops->cancel(wire);
        CHECK(wire->ops->send(wire, 2, 3, &last, 1, &message) == SCT_OK);
        CHECK(wire->ops->send(wire, 1, 3, &last, 1, &message) == SCT_FAILED);
    }
    if (wire->rank == 1)
        CHECK(until_failure(wire) == SCT_FAILED);
    if (wire->rank == 2) {
        CHECK(wire->ops->receive(wire, 0, 3, bytes, 1, &message) == SCT_OK);
        socket_await(wire, message);
        CHECK(bytes[0] == 5);
        bytes[0] = 0;
        CHECK(wire->ops->receive(wire, 1, 3, bytes, 1, &message) == SCT_OK);
        wire->ops->cancel(wire);
    }
    socket_team_barrier(self);
    if (wire->rank == 1)
        CHECK(wire->ops->send(wire, 2, 3, &last, 1, &message) == SCT_OK);
    socket_team_barrier(self);
    for (int i = 0; wire->rank == 2 && i < 1000; i++)
        CHECK(wire->ops->progress(wire) == SCT_OK);
    CHECK(bytes[0] == 0);
    free(bytes);
    socket_team_barrier(self);
}

/* If an allgather fails on rank 0, the other ranks get the error if they can. */
static void test_failing(void) {
    for (int gather = 1; gather <= 2; gather++) {
        socket_member members[SOCKET_RANKS];
        socket_team_run((socket_member){.thread.fails_at = gather}, members);
        CHECK(members[0].status == SCT_FAILED);
        CHECK(gather == 2 || members[1].status == SCT_NO_ENGINE);
        CHECK(gather == 2 || members[2].status == SCT_NO_ENGINE);
    }
}

int main(void) {
    socket_team_run_well((socket_member){.body = say_hello, .visit = call_as_stranger});
    hang_up();
    socket_team_run_well((socket_member){.body = disagree});
    socket_team_run_well((socket_member){.body = too_long});
    socket_team_run_well((socket_member){.body = end});
    socket_team_run_well((socket_member){.body = give_up});
    socket_team_run_well((socket_member){.body = cancel});
    test_failing();
    return check_report("sockets_failing");
}
