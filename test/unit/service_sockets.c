/* service_sockets.c - the wire of sockets by itself: what arrives, in which order, when nobody has
 * asked for it, when more is sent than the system holds, when strangers call, when one ends. */
#include "fabric/sockets.h"

#include "base/status.h"
#include "support/check.h"
#include "support/gathering.h"

#include <arpa/inet.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 3, KINDS = 4, TIMES = 60, LONGEST = 100000 };

typedef struct member {
    gatherer place;
    uint64_t random;
    void (*body)(sct_wire *wire, struct member *self);
    int gathers;
    bool visited; /* by strangers, before ranks connect */
    int fails;    /* the gather that fails, from 1 */
    sct_status status;
} member;

static void meet(member *self) {
    pthread_barrier_wait(&self->place.all->barrier);
}

static void await(sct_wire *wire, sct_message message) {
    bool done = false;
    while (!done && CHECK(wire->ops->progress(wire) == SCT_OK) &&
           CHECK(wire->ops->test(wire, message, &done) == SCT_OK))
        sched_yield();
}

/* ---- Teams ---- */

static void call_port(int port, size_t bytes) {
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = (in_port_t)port};
    const int64_t words[] = {1, 2, RANKS - 1};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(connect(fd, (struct sockaddr *)&name, sizeof name) == 0);
    CHECK(send(fd, words, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
    close(fd);
}

/* Calls all sockets of this process that listen: with words too few, and as a rank, with wrong
 * ones. */
static void call_as_stranger(void) {
    int found = 0;
    for (int fd = 0; fd < 100; fd++) {
        int listens = 0;
        struct sockaddr_in name = {.sin_port = 0};
        socklen_t size = sizeof listens, length = sizeof name;
        if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) || !listens)
            continue;
        CHECK(getsockname(fd, (struct sockaddr *)&name, &length) == 0);
        call_port(name.sin_port, 5);
        call_port(name.sin_port, 24);
        found++;
    }
    CHECK(found == RANKS);
}

static int gather(void *context, const void *mine, size_t bytes, void *all) {
    member *self = context;
    gathering_allgather(&self->place, mine, bytes, all);
    self->gathers++;
    if (self->visited && self->gathers == 1 && self->place.rank == 0)
        call_as_stranger();
    meet(self);
    return self->gathers == self->fails;
}

static void *run_rank(void *arg) {
    member *self = arg;
    sct_bootstrap ranks = gathering_bootstrap(&self->place);
    ranks.allgather = gather;
    ranks.context = self;
    sct_wire *wire = NULL;
    self->status = sct_sockets_create(&ranks, &wire);
    CHECK((self->status == SCT_OK) == (wire != NULL));
    if (!wire)
        return NULL;
    CHECK(wire->rank == self->place.rank && wire->size == RANKS && wire->threaded);
    if (self->body)
        self->body(wire, self);
    wire->ops->close(wire);
    return NULL;
}

/* All members as the first is, but for their seeds; returns what came of it. */
static void run(member like, member members[RANKS]) {
    gathering all;
    pthread_t threads[RANKS];
    gathering_begin(&all, RANKS);
    for (int r = 0; r < RANKS; r++) {
        int fails = r == 0 ? like.fails : 0;
        members[r] = like;
        members[r].place = (gatherer){&all, r};
        members[r].random = like.random * 10 + (uint64_t)r;
        members[r].fails = fails;
        CHECK(pthread_create(&threads[r], NULL, run_rank, &members[r]) == 0);
    }
    for (int r = 0; r < RANKS; r++)
        pthread_join(threads[r], NULL);
    gathering_end(&all);
}

static void run_well(member like) {
    member members[RANKS];
    run(like, members);
    for (int r = 0; r < RANKS; r++)
        CHECK_CASE(members[r].status == SCT_OK, "rank %d", r);
}

/* ---- Messages ---- */

/* The length of a message, alike for those who send and receive it. */
static size_t length_of(int from, int to, int kind, int time) {
    uint64_t random = (uint64_t)(((from * RANKS + to) * KINDS + kind) * TIMES + time + 1);
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
    for (int i = 0; i < RANKS * KINDS * TIMES; i++) {
        int to = i % RANKS, kind = i / RANKS % KINDS, time = i / RANKS / KINDS;
        posted *one = &sent[i];
        *one = (posted){.length = length_of(wire->rank, to, kind, time)};
        one->bytes = malloc(one->length + 1);
        memset(one->bytes, byte_of(wire->rank, kind, time), one->length);
        CHECK(wire->ops->send(wire, to, kind, one->bytes, one->length, &one->message) == SCT_OK);
    }
}

static void receive_all(sct_wire *wire, posted *received) {
    for (int i = 0; i < RANKS * KINDS * TIMES; i++) {
        int from = i % RANKS, kind = i / RANKS % KINDS, time = i / RANKS / KINDS;
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

/* Everything that is sent arrives, in the order of its kind, asked for before or later. */
static void exchange(sct_wire *wire, member *self) {
    posted *sent = malloc(sizeof *sent * RANKS * KINDS * TIMES);
    posted *received = malloc(sizeof *received * RANKS * KINDS * TIMES);
    for (int late = 0; late < 2; late++) {
        if (!late)
            receive_all(wire, received);
        send_all(wire, sent);
        for (int i = 0; late && i < 50; i++)
            CHECK(wire->ops->progress(wire) == SCT_OK);
        if (late)
            receive_all(wire, received);
        for (int i = 0; i < RANKS * KINDS * TIMES; i++) {
            await(wire, received[i].message);
            CHECK_CASE(is_right(&received[i]), "from %d, kind %d, number %d", received[i].from,
                       received[i].kind, received[i].time);
            free(received[i].bytes);
        }
        for (int i = 0; i < RANKS * KINDS * TIMES; i++) {
            await(wire, sent[i].message);
            free(sent[i].bytes);
        }
        meet(self);
    }
    free(sent);
    free(received);
}

/* Far more than the system holds, before the other reads any of it. */
static void flood(sct_wire *wire, member *self) {
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
    meet(self);
    for (int i = 0; wire->rank == 1 && i < MANY; i++) {
        CHECK(wire->ops->receive(wire, 0, 0, bytes, sizeof zeros, &messages[i]) == SCT_OK);
        await(wire, messages[i]);
    }
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        await(wire, messages[i]);
    CHECK(wire->rank != 1 || !memcmp(bytes, zeros, sizeof zeros));
    free(bytes);
    meet(self);
}

/* Those asked for last may come first. */
static void overtake(sct_wire *wire, member *self) {
    static const int order[] = {1, 2, 0};
    char bytes[3] = {0};
    sct_message messages[3], sent;
    for (int i = 0; i < 3; i++) {
        if (wire->rank == 0 && i < 2)
            CHECK(wire->ops->receive(wire, 1, i, &bytes[i], 1, &messages[i]) == SCT_OK);
        if (wire->rank == 0 && i == 1) {
            await(wire, messages[1]);
            CHECK(wire->ops->receive(wire, 1, 2, &bytes[2], 1, &messages[2]) == SCT_OK);
        }
        if (wire->rank == 1) {
            char byte = (char)(order[i] + 5);
            CHECK(wire->ops->send(wire, 0, order[i], &byte, 1, &sent) == SCT_OK);
            await(wire, sent);
        }
    }
    if (wire->rank == 0) {
        await(wire, messages[2]);
        await(wire, messages[0]);
        CHECK(bytes[0] == 5 && bytes[1] == 6 && bytes[2] == 7);
    }
    meet(self);
}

/* What is taken is all there. */
static void take_long(sct_wire *wire, member *self) {
    enum { MANY = 40, LENGTH = 100000 };
    char *bytes = malloc(LENGTH);
    sct_message messages[MANY];
    memset(bytes, 7, LENGTH);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        CHECK(wire->ops->send(wire, 1, 0, bytes, LENGTH, &messages[i]) == SCT_OK);
    for (int i = 0; wire->rank == 0 && i < MANY; i++)
        await(wire, messages[i]);
    for (int left = wire->rank == 1 ? MANY : 0, from; left > 0;) {
        bool taken;
        memset(bytes, 0, LENGTH);
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->take(wire, 0, bytes, LENGTH, &from, &taken) == SCT_OK);
        CHECK(!taken || (bytes[0] == 7 && !memcmp(bytes, bytes + 1, LENGTH - 1)));
        left -= taken;
    }
    free(bytes);
    meet(self);
}

/* Requests are taken as they come, from anyone. */
static void take(sct_wire *wire, member *self) {
    int64_t word = wire->rank, got;
    sct_message message;
    for (int to = 0; to < RANKS; to++) {
        CHECK(wire->ops->send(wire, to, 0, &word, sizeof word, &message) == SCT_OK);
        await(wire, message);
    }
    for (int left = RANKS, from, taken = 0; left > 0; left -= taken) {
        bool there = false;
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->take(wire, 1, &got, sizeof got, &from, &there) == SCT_OK && !there);
        CHECK(wire->ops->take(wire, 0, &got, sizeof got, &from, &there) == SCT_OK);
        CHECK(!there || got == from);
        taken = there;
    }
    meet(self);
}

/* ---- What goes wrong ---- */

/* The next that fails, or the first attempts of a failure to come. */
static sct_status until_failure(sct_wire *wire) {
    sct_status status = SCT_OK;
    while (status == SCT_OK) {
        status = wire->ops->progress(wire);
        sched_yield();
    }
    return status;
}

static void disagree(sct_wire *wire, member *self) {
    char bytes[100] = "";
    sct_message message;
    if (wire->rank == 0)
        CHECK(wire->ops->send(wire, 1, 2, bytes, 50, &message) == SCT_OK);
    if (wire->rank == 1) {
        CHECK(wire->ops->receive(wire, 0, 2, bytes, 51, &message) == SCT_OK);
        CHECK(until_failure(wire) == SCT_FAILED);
        CHECK(!strcmp(sct_last_reason(), "rank 0 sent 50 bytes instead of 51"));
    }
    meet(self);
}

static void too_long(sct_wire *wire, member *self) {
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
    meet(self);
}

/* One ends. Who waits for it fails, who does not goes on, until he wants something of it. */
static void end(sct_wire *wire, member *self) {
    char byte = 0;
    sct_message message;
    if (wire->rank == 1)
        CHECK(wire->ops->receive(wire, 2, 0, &byte, 1, &message) == SCT_OK);
    meet(self);
    if (wire->rank == 2) {
        wire->ops->close(wire);
        meet(self);
        meet(self);
        pthread_exit(NULL);
    }
    meet(self);
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
    meet(self);
}

/* What is cancelled writes nothing any more, and a message that has been sent in part never seems
 * whole; what is sent behind it arrives, or the connection is lost. */
static void cancel(sct_wire *wire, member *self) {
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
        await(wire, message);
        CHECK(bytes[0] == 5);
        bytes[0] = 0;
        CHECK(wire->ops->receive(wire, 1, 3, bytes, 1, &message) == SCT_OK);
        wire->ops->cancel(wire);
    }
    meet(self);
    if (wire->rank == 1)
        CHECK(wire->ops->send(wire, 2, 3, &last, 1, &message) == SCT_OK);
    meet(self);
    for (int i = 0; wire->rank == 2 && i < 1000; i++)
        CHECK(wire->ops->progress(wire) == SCT_OK);
    CHECK(bytes[0] == 0);
    free(bytes);
    meet(self);
}

/* Where one rank fails, all do, and nobody waits. */
static void test_failing(void) {
    for (int gather = 1; gather <= 2; gather++) {
        member members[RANKS];
        run((member){.fails = gather}, members);
        CHECK(members[0].status == SCT_FAILED);
        CHECK(gather == 2 || members[1].status == SCT_NO_ENGINE);
        CHECK(gather == 2 || members[2].status == SCT_NO_ENGINE);
    }
}

int main(void) {
    uint64_t seed = check_seed(1);
    run_well((member){.body = exchange, .random = seed});
    run_well((member){.body = exchange, .visited = true, .random = seed});
    run_well((member){.body = flood});
    run_well((member){.body = overtake});
    run_well((member){.body = take});
    run_well((member){.body = take_long});
    run_well((member){.body = disagree});
    run_well((member){.body = too_long});
    run_well((member){.body = end});
    run_well((member){.body = cancel});
    test_failing();
    return check_report("service_sockets");
}
