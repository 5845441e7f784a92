/* sockets.c - the wire of sockets by itself: which messages arrive and in what order, whether they
 * are received early or late, messages beyond the system's buffers, and waiting. */
#include "support/check.h"
#include "support/socket_team.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = 4, TIMES = 60, LONGEST = 100000 };

/* The length of a message, which sender and receiver both compute. */
static size_t length_of(int from, int to, int kind, int time) {
    uint64_t random = (uint64_t)(((from * SOCKET_RANKS + to) * KINDS + kind) * TIMES + time + 1);
    return (size_t)check_between(&random, 0, check_between(&random, 0, 3) ? 300 : LONGEST);
}

static char byte_of(int from, int kind, int time) {
    return (char)(from * 50 + kind * 7 + time);
}

typedef struct posted {
    sct_message message;
    char *bytes;
    size_t length;
    int from, kind, time;
} posted;

static void send_all(sct_wire *wire, posted *sent) {
    for (int i = 0; i < SOCKET_RANKS * KINDS * TIMES; i++) {
        int to = i % SOCKET_RANKS, kind = i / SOCKET_RANKS % KINDS, time = i / SOCKET_RANKS / KINDS;
        posted *one = &sent[i];
        *one = (posted){.length = length_of(wire->rank, to, kind, time)};
        one->bytes = malloc(one->length + 1);
        memset(one->bytes, byte_of(wire->rank, kind, time), one->length);
        CHECK(wire->ops->send(wire, to, kind, one->bytes, one->length, &one->message) == SCT_OK);
    }
}

static void receive_all(sct_wire *wire, posted *received) {
    for (int i = 0; i < SOCKET_RANKS * KINDS * TIMES; i++) {
        int from = i % SOCKET_RANKS, kind = i / SOCKET_RANKS % KINDS,
            time = i / SOCKET_RANKS / KINDS;
        posted *one = &received[i];
        *one = (posted){.length = length_of(from, wire->rank, kind, time),
                        .from = from,
                        .kind = kind,
                        .time = time};
        one->bytes = malloc(one->length + 1);
        CHECK(wire->ops->receive(wire, from, kind, one->bytes, one->length, &one->message) ==
              SCT_OK);
    }
}

static bool is_right(const posted *received) {
    char right = byte_of(received->from, received->kind, received->time);
    for (size_t i = 0; i < received->length; i++)
        if (received->bytes[i] != right)
            return false;
    return true;
}

/* All messages arrive, in the order of sending within a kind, whether they are asked for before or
 * after they are sent. */
static void exchange(sct_wire *wire, socket_member *self) {
    posted *sent = malloc(sizeof *sent * SOCKET_RANKS * KINDS * TIMES);
    posted *received = malloc(sizeof *received * SOCKET_RANKS * KINDS * TIMES);
    for (int late = 0; late < 2; late++) {
        if (!late)
            receive_all(wire, received);
        send_all(wire, sent);
        for (int i = 0; late && i < 50; i++)
            CHECK(wire->ops->progress(wire) == SCT_OK);
        if (late)
            receive_all(wire, received);
        for (int i = 0; i < SOCKET_RANKS * KINDS * TIMES; i++) {
            socket_await(wire, received[i].message);
            CHECK_CASE(is_right(&received[i]), "from %d, kind %d, number %d", received[i].from,
                       received[i].kind, received[i].time);
            free(received[i].bytes);
        }
        for (int i = 0; i < SOCKET_RANKS * KINDS * TIMES; i++) {
            socket_await(wire, sent[i].message);
            free(sent[i].bytes);
        }
        socket_team_barrier(self);
    }
    free(sent);
    free(received);
}

/* Sends far more than the system buffers before the other rank reads any of it. */
static void flood(sct_wire *wire, socket_member *self) {
    enum { MANY = 400 };
    static const char zeros[1 << 17];
    sct_message messages[MANY];
    char *bytes = malloc(sizeof zeros);
    bool done = true;
    if (wire->rank == 0) {
        for (int i = 0; i < MANY; i++)
            CHECK(wire->ops->send(wire, 1, 0, zeros, sizeof zeros, &messages[i]) == SCT_OK);
        CHECK(wire->ops->test(wire, messages[MANY - 1], &done) == SCT_OK && !done);
    }
    socket_team_barrier(self);
    for (int i = 0; wire->rank == 1 && i < MANY; i++) {
        CHECK(wire->ops->receive(wire, 0, 0, bytes, sizeof zeros, &messages[i]) == SCT_OK);
        socket_await(wire, messages[i]);
    }
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        socket_await(wire, messages[i]);
    CHECK(wire->rank != 1 || !memcmp(bytes, zeros, sizeof zeros));
    free(bytes);
    socket_team_barrier(self);
}

/* Messages that are asked for last may arrive first. */
static void overtake(sct_wire *wire, socket_member *self) {
    static const int order[] = {1, 2, 0};
    char bytes[3] = {0};
    sct_message messages[3], sent;
    for (int i = 0; i < 3; i++) {
        if (wire->rank == 0 && i < 2)
            CHECK(wire->ops->receive(wire, 1, i, &bytes[i], 1, &messages[i]) == SCT_OK);
        if (wire->rank == 0 && i == 1) {
            socket_await(wire, messages[1]);
            CHECK(wire->ops->receive(wire, 1, 2, &bytes[2], 1, &messages[2]) == SCT_OK);
        }
        if (wire->rank == 1) {
            char byte = (char)(order[i] + 5);
            CHECK(wire->ops->send(wire, 0, order[i], &byte, 1, &sent) == SCT_OK);
            socket_await(wire, sent);
        }
    }
    if (wire->rank == 0) {
        socket_await(wire, messages[2]);
        socket_await(wire, messages[0]);
        CHECK(bytes[0] == 5 && bytes[1] == 6 && bytes[2] == 7);
    }
    socket_team_barrier(self);
}

/* A message that is taken is complete. */
static void take_long(sct_wire *wire, socket_member *self) {
    enum { MANY = 40, LENGTH = 100000 };
    char *bytes = malloc(LENGTH);
    sct_message messages[MANY];
    memset(bytes, 7, LENGTH);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        CHECK(wire->ops->send(wire, 1, 0, bytes, LENGTH, &messages[i]) == SCT_OK);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        socket_await(wire, messages[i]);
    for (int left = wire->rank == 1 ? MANY : 0, from; left > 0;) {
        bool taken;
        memset(bytes, 0, LENGTH);
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->take(wire, 0, bytes, LENGTH, &from, &taken) == SCT_OK);
        CHECK(!taken || (bytes[0] == 7 && !memcmp(bytes, bytes + 1, LENGTH - 1)));
        left -= taken;
    }
    free(bytes);
    socket_team_barrier(self);
}

/* Messages are taken as they come, from any rank. */
static void take(sct_wire *wire, socket_member *self) {
    int64_t word = wire->rank, got;
    sct_message message;
    for (int to = 0; to < SOCKET_RANKS; to++) {
        CHECK(wire->ops->send(wire, to, 0, &word, sizeof word, &message) == SCT_OK);
        socket_await(wire, message);
    }
    for (int left = SOCKET_RANKS, from, taken = 0; left > 0; left -= taken) {
        bool there = false;
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->take(wire, 1, &got, sizeof got, &from, &there) == SCT_OK && !there);
        CHECK(wire->ops->take(wire, 0, &got, sizeof got, &from, &there) == SCT_OK);
        CHECK(!there || got == from);
        taken = there;
    }
    socket_team_barrier(self);
}

/* Sends lines with gaps between them, more than the system buffers, the last message to the rank
 * itself: they arrive without the gaps. */
static void send_lines(sct_wire *wire, socket_member *self) {
    enum { MANY = 60, COUNT = 300, WIDTH = 701, PITCH = 1000 };
    sct_message sent[MANY], received;
    static char memory[COUNT * PITCH], wanted[COUNT * WIDTH];
    const sct_memory lines = {memory, PITCH, COUNT, WIDTH};
    char *bytes = malloc(sizeof wanted);
    if (wire->rank == 0) {
        for (size_t i = 0; i < sizeof memory; i++)
            memory[i] = (char)(i % 251);
        for (size_t i = 0; i < COUNT; i++)
            memcpy(wanted + i * WIDTH, memory + i * PITCH, WIDTH);
    }
    socket_team_barrier(self);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        CHECK(wire->ops->send_lines(wire, i < MANY - 1, 0, &lines, &sent[i]) == SCT_OK);
    for (int i = 0; i < MANY; i++) {
        if (wire->rank != (i < MANY - 1))
            continue;
        CHECK(wire->ops->receive(wire, 0, 0, bytes, sizeof wanted, &received) == SCT_OK);
        socket_await(wire, received);
        CHECK(memcmp(bytes, wanted, sizeof wanted) == 0);
    }
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        socket_await(wire, sent[i]);
    free(bytes);
    socket_team_barrier(self);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A rank that waits is woken by a message, or by the timeout. */
static void await(sct_wire *wire, socket_member *self) {
    enum { LONG_MS = 20000, SHORT_MS = 20 };
    char byte = 3;
    sct_message message;
    double start = now();
    wire->ops->await(wire, SHORT_MS);
    CHECK(now() - start >= 0.9e-3 * SHORT_MS);
    socket_team_barrier(self);
    if (wire->rank == 0) {
        wire->ops->await(wire, LONG_MS);
        CHECK(now() - start < 1e-3 * LONG_MS / 2);
        CHECK(wire->ops->receive(wire, 1, 0, &byte, 1, &message) == SCT_OK);
        socket_await(wire, message);
        CHECK(byte == 9);
    }
    byte = 9;
    if (wire->rank == 1 && CHECK(wire->ops->send(wire, 0, 0, &byte, 1, &message) == SCT_OK))
        socket_await(wire, message);
    socket_team_barrier(self);
}

int main(void) {
    void (*const bodies[])(sct_wire *, socket_member *) = {await, exchange,  flood,     overtake,
                                                           take,  take_long, send_lines};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        socket_team_run_well((socket_member){.body = bodies[i]});
    return check_report("sockets");
}
