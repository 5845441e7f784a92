/* sockets_failing.c - the wire of sockets when ranks disagree, a rank ends, gives up or lies, or
 * ranks cannot connect. */
#include "base/status.h"
#include "fabric/sockets/hello.h"
#include "support/check.h"
#include "support/socket_team.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Ranks 1 and 2, which are not connected by the tree of the start, exchange a message. */
static void connect_higher(sct_wire *wire) {
    int other = 3 - wire->rank;
    char sent = 1, got = 0;
    sct_message sending, receiving;
    if (wire->rank == 0)
        return;
    CHECK(wire->ops->receive(wire, other, 99, &got, 1, &receiving) == SCT_OK);
    CHECK(wire->ops->send(wire, other, 99, &sent, 1, &sending) == SCT_OK);
    socket_await(wire, sending);
    socket_await(wire, receiving);
    CHECK(got == sent);
}

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
    connect_higher(wire);
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

/* Sends until that fails. */
static sct_status until_unsent(sct_wire *wire, int rank) {
    static const char byte;
    sct_message message;
    sct_status status = SCT_OK;
    while (status == SCT_OK)
        status = wire->ops->send(wire, rank, 0, &byte, 1, &message);
    return status;
}

/* One rank gives up. The others fail when they next read or send, even if they wait for nothing,
 * and have its last message. */
static void give_up(sct_wire *wire, socket_member *self) {
    int64_t word = 17, last = 0;
    sct_message message;
    int from = -1;
    bool taken = false;
    connect_higher(wire);
    socket_team_barrier(self);
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
    CHECK((wire->rank == 1 ? until_failure(wire) : until_unsent(wire, 2)) == SCT_FAILED);
    CHECK(!strcmp(sct_last_reason(), wire->rank ? "rank 1 has lost its connection to rank 2"
                                                : "rank 0 has lost its connection to rank 2"));
    CHECK(wire->ops->take(wire, 0, &last, sizeof last, &from, &taken) == SCT_OK && taken);
    CHECK(last == word && from == 2);
    socket_team_barrier(self);
}

/* Cancelled receives write nothing any more, and a message sent in part never seems complete.
 * Messages sent after it arrive, or the connection is lost. */
static void cancel(sct_wire *wire, socket_member *self) {
    enum { MANY = 200 };
    static const char ones[1 << 17] = {1};
    char last = 5, *bytes = calloc(1, sizeof ones);
    sct_message message;
    connect_higher(wire);
    socket_team_barrier(self);
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

/* If an allgather fails on rank 0, the other ranks get the error, unless it was the last one; or
 * one of the three that are whether all can go on, without which no rank does: before they say
 * where they listen, before their addresses, and after these. */
static void test_failing(void) {
    sct_addresses mine = {.count = 0};
    sct_addresses_list(&mine);
    const int where = 2, addresses = where + 2, known = addresses + mine.count, last = known + 2;
    for (int gather = where; gather <= last; gather++) {
        socket_member members[SOCKET_RANKS];
        if (gather == addresses - 1 || gather == known)
            continue;
        socket_team_run((socket_member){.thread.fails_at = gather}, members);
        CHECK(members[0].status == SCT_FAILED);
        CHECK(gather == last || members[1].status == SCT_FAILED);
        CHECK(gather == last || members[2].status == SCT_FAILED);
    }
}

/* Rank 0 says the same as this rank, but has another number of addresses. */
static int lie(void *context, const void *mine, size_t bytes, void *all) {
    sct_endpoint *endpoints = all;
    memcpy(all, mine, bytes);
    memcpy((char *)all + bytes, mine, bytes);
    if (bytes == sizeof *endpoints)
        endpoints[0].addresses = *(const int *)context;
    return 0;
}

static void test_lies(void) {
    static const int counts[] = {0, -1, SCT_MOST_ADDRESSES + 1, INT_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const sct_bootstrap ranks = {.size = sizeof ranks,
                                     .rank = 1,
                                     .ranks = 2,
                                     .allgather = lie,
                                     .context = (void *)&counts[i]};
        sct_wire *wire;
        CHECK(sct_sockets_create(&ranks, &wire) == SCT_NO_ENGINE);
        CHECK_CASE(strstr(sct_last_reason(), "rank 0 has no address"), "%s", sct_last_reason());
    }
}

int main(void) {
    socket_team_run_well((socket_member){.body = disagree});
    socket_team_run_well((socket_member){.body = too_long});
    socket_team_run_well((socket_member){.body = end});
    socket_team_run_well((socket_member){.body = give_up});
    socket_team_run_well((socket_member){.body = cancel});
    test_failing();
    test_lies();
    return check_report("sockets_failing");
}
