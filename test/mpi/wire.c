/* wire.c - gets and accumulates by MPI messages, between all ranks at once, with exact values.
 *
 * Every rank can draw the other ranks' random numbers, so it knows what they add. The argument
 * "single" starts MPI with MPI_THREAD_SINGLE. */
#include "fabric/mpi/wire.h"

#include "fabric/service/service.h"
#include "support/check.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 300, COUNT = 700, IN_FLIGHT = 40, ROUNDS = 6 };
enum { READ = 1, ADDED = 2 }; /* ids of the two segments */

typedef struct rank {
    int rank, ranks;
    sct_service *service;
    double *read, *added, *expected;
    sct_memory blocks[2];
    sct_bands bands[2];
} rank;

typedef struct transfer {
    bool get;
    sct_place_far place;
    double *local;
    uint64_t ticket;
} transfer;

/* An element that rank `owner` offers for gets. */
static double value(int owner, int64_t line, int64_t column) {
    return owner * 1000000.0 + (double)(line * COUNT + column);
}

static double addend(int adder, int64_t line, int64_t column) {
    return 1 + adder + (double)((line + column) % 5);
}

/* A random rectangle of some rank, small or a whole block. */
static sct_place_far draw(const rank *self, uint64_t *random, bool *get) {
    bool small = check_between(random, 0, 2) > 0;
    *get = check_between(random, 0, 1);
    sct_place_far place = {.id = *get ? READ : ADDED, .block = 0};
    place.rank = (int)check_between(random, 0, self->ranks - 1);
    place.part.line = check_between(random, 0, small ? LINES : 0);
    place.part.lines = check_between(random, small ? 0 : LINES, LINES) - place.part.line;
    if (place.part.lines < 0)
        place.part.lines = 0;
    if (small && place.part.lines > 9)
        place.part.lines = 9;
    place.part.byte = 8 * (size_t)check_between(random, 0, small ? COUNT - 20 : 0);
    place.part.width = 8 * (size_t)check_between(random, 0, small ? 20 : COUNT);
    return place;
}

static uint64_t seed_of(uint64_t seed, int who, int round) {
    return seed + (uint64_t)(who * 1000 + round);
}

static int64_t column_of(const sct_place_far *place, int64_t j) {
    return (int64_t)(place->part.byte / 8) + j;
}

/* Adds up what all ranks contribute to this one in a round. */
static void expect(rank *self, uint64_t seed, int round) {
    for (int r = 0; r < self->ranks; r++) {
        uint64_t random = seed_of(seed, r, round);
        for (int t = 0; t < IN_FLIGHT; t++) {
            bool get;
            sct_place_far place = draw(self, &random, &get);
            for (int64_t i = 0; !get && place.rank == self->rank && i < place.part.lines; i++)
                for (int64_t j = 0; j < (int64_t)(place.part.width / 8); j++)
                    self->expected[(place.part.line + i) * COUNT + column_of(&place, j)] +=
                        addend(r, i, j);
        }
    }
}

static void begin(rank *self, uint64_t *random, transfer *made) {
    made->place = draw(self, random, &made->get);
    int64_t count = (int64_t)(made->place.part.width / 8),
            pitch = count + made->place.part.lines % 2;
    made->local = malloc((size_t)(made->place.part.lines * pitch) * sizeof(double) + 1);
    if (made->get) {
        CHECK(sct_service_get(self->service, &made->place, made->local, 8 * (size_t)pitch,
                              &made->ticket) == SCT_OK);
        return;
    }
    for (int64_t i = 0; i < made->place.part.lines; i++)
        for (int64_t j = 0; j < count; j++)
            made->local[i * pitch + j] = addend(self->rank, i, j);
    CHECK(sct_service_accumulate(self->service, SCT_F64, made->local, 8 * (size_t)pitch,
                                 &made->place, &made->ticket) == SCT_OK);
}

static void end(rank *self, transfer *ended) {
    const sct_place_far *place = &ended->place;
    int64_t count = (int64_t)(place->part.width / 8), pitch = count + place->part.lines % 2;
    bool exact = true;
    CHECK(sct_service_wait(self->service, ended->ticket) == SCT_OK);
    for (int64_t i = 0; ended->get && i < place->part.lines; i++)
        for (int64_t j = 0; j < count; j++)
            exact &= ended->local[i * pitch + j] ==
                     value(place->rank, place->part.line + i, column_of(place, j));
    CHECK_CASE(exact, "a get of %lld lines of %zu from rank %d", (long long)place->part.lines,
               place->part.width, place->rank);
    free(ended->local);
}

/* A barrier of all ranks. While they wait, services without a thread make progress. */
static void meet(const rank *self) {
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        if (!sct_service_has_thread(self->service))
            sct_service_progress(self->service);
        sched_yield();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

static void run(rank *self, uint64_t seed) {
    transfer under_way[IN_FLIGHT];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t random = seed_of(seed, self->rank, round);
        expect(self, seed, round);
        for (int i = 0; i < IN_FLIGHT; i++)
            begin(self, &random, &under_way[i]);
        for (int i = 0; i < IN_FLIGHT; i++)
            end(self, &under_way[(i + 7 * self->rank) % IN_FLIGHT]);
    }
    meet(self);
    CHECK_CASE(!memcmp(self->added, self->expected, sizeof(double) * LINES * COUNT),
               "what was added to rank %d", self->rank);
}

/* The last rank's invalid get makes transfers fail on all ranks. */
static void fail(rank *self) {
    double byte[1];
    uint64_t ticket = 0;
    sct_status status = SCT_OK;
    sct_place_far place = {ADDED + 1, 0, 0, {0, 0, 1, 8}};
    if (self->rank == self->ranks - 1)
        CHECK(sct_service_get(self->service, &place, byte, 8, &ticket) == SCT_OK);
    place.id = READ;
    while (status == SCT_OK) {
        place.rank = (place.rank + 1) % self->ranks;
        if (ticket == 0)
            status = sct_service_get(self->service, &place, byte, 8, &ticket);
        if (status == SCT_OK)
            status = sct_service_wait(self->service, ticket);
        ticket = 0;
    }
    CHECK_CASE(strstr(sct_last_reason(), "does not offer"), "%s", sct_last_reason());
    meet(self);
}

static double *offer(rank *self, uint64_t id) {
    double *made = calloc(LINES * COUNT, sizeof *made);
    size_t width = COUNT * sizeof *made;
    self->blocks[id - 1] = (sct_memory){(char *)made, width, LINES, width};
    CHECK(sct_service_offer(self->service, id, 1, &self->blocks[id - 1], &self->bands[id - 1]) ==
          SCT_OK);
    return made;
}

static void work(rank *self, uint64_t seed) {
    self->read = offer(self, READ);
    self->added = offer(self, ADDED);
    self->expected = calloc(LINES * COUNT, sizeof(double));
    for (int64_t i = 0; i < LINES * COUNT; i++)
        self->read[i] = value(self->rank, i / COUNT, i % COUNT);
    meet(self);
    run(self, seed);
    fail(self);
    sct_service_withdraw(self->service, READ);
    sct_service_withdraw(self->service, ADDED);
    free(self->read);
    free(self->added);
    free(self->expected);
}

/* Messages sent around the wire with other lengths than expected are errors. */
static void break_rules(const sct_wire *like) {
    enum { SENT = 9, WANTED = 8, KIND = 5 };
    char bytes[SENT], sent[SENT] = {0};
    bool taken = true;
    int from;
    sct_message ignored;
    sct_wire *wire;
    MPI_Comm comm;
    MPI_Request request;
    sct_status status = SCT_OK;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    if (!CHECK(sct_mpi_wire_create(comm, like->threaded, &wire) == SCT_OK))
        return;
    MPI_Isend(sent, SENT, MPI_BYTE, 0, KIND, comm, &request);
    while (taken && status == SCT_OK)
        status = wire->ops->take(wire, KIND, bytes, WANTED, &from, &taken);
    CHECK_CASE(strstr(sct_last_reason(), "9 bytes from rank 0 is too long"), "%s",
               sct_last_reason());
    CHECK(wire->ops->receive(wire, 0, KIND + 1, bytes, WANTED, &ignored) == SCT_OK);
    MPI_Send(sent, WANTED - 1, MPI_BYTE, 0, KIND + 1, comm);
    for (status = SCT_OK; status == SCT_OK;)
        status = wire->ops->progress(wire);
    CHECK_CASE(strstr(sct_last_reason(), "sent 7 bytes instead of 8"), "%s", sct_last_reason());
    MPI_Request_free(&request);
    wire->ops->close(wire);
}

/* After a failure, the next wire receives no message that was left to this one. */
static void leave_behind(bool threaded) {
    enum { KIND = 5 };
    char sent[1] = {0}, received[1];
    for (int next = 0; next < 2; next++) {
        bool taken = false;
        int from;
        sct_message ignored;
        sct_wire *wire;
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        if (!CHECK(sct_mpi_wire_create(comm, threaded, &wire) == SCT_OK))
            return;
        if (next == 0)
            CHECK(wire->ops->send(wire, 0, KIND, sent, 1, &ignored) == SCT_OK);
        for (int i = 0; next == 1 && i < 100 && !taken; i++)
            CHECK(wire->ops->take(wire, KIND, received, 1, &from, &taken) == SCT_OK);
        CHECK(!taken);
        wire->ops->cancel(wire);
        wire->ops->close(wire);
    }
}

/* A send may need its memory until it has been received, and says so. */
static void send_late(const rank *self, const sct_wire *like) {
    enum { KIND = 5 };
    bool sends = self->rank == 0, done = false;
    int peer = sends ? 1 : 0;
    char *bytes = calloc(1, like->most_bytes);
    sct_message message;
    sct_wire *wire;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!CHECK(bytes) || !CHECK(sct_mpi_wire_create(comm, like->threaded, &wire) == SCT_OK))
        return;
    if (sends) {
        CHECK(wire->ops->send(wire, peer, KIND, bytes, like->most_bytes, &message) == SCT_OK);
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->test(wire, message, &done) == SCT_OK);
        CHECK(wire->ops->reads_on(wire) == !done);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (self->rank == 1)
        CHECK(wire->ops->receive(wire, peer, KIND, bytes, like->most_bytes, &message) == SCT_OK);
    while (self->rank < 2 && !done)
        CHECK(wire->ops->progress(wire) == SCT_OK &&
              wire->ops->test(wire, message, &done) == SCT_OK);
    CHECK(!wire->ops->reads_on(wire));
    wire->ops->close(wire);
    free(bytes);
}

int main(int argc, char **argv) {
    int level, failed;
    bool single = argc > 1 && !strcmp(argv[1], "single");
    MPI_Init_thread(&argc, &argv, single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    uint64_t seed = check_seed(1);
    rank self = {.service = NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    sct_wire *wire;
    if (CHECK(sct_mpi_wire_create(comm, !single && level == MPI_THREAD_MULTIPLE, &wire) ==
              SCT_OK) &&
        CHECK(sct_service_create(wire, &self.service) == SCT_OK)) {
        CHECK(sct_service_has_thread(self.service) == wire->threaded);
        work(&self, seed);
        break_rules(wire);
        leave_behind(wire->threaded);
        send_late(&self, wire);
        sct_service_destroy(self.service);
    }
    int mine = check_report("wire");
    MPI_Allreduce(&mine, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
