/* service_gather.c - an allgather and an allreduce by messages: of any number of ranks and bytes,
 * beside transfers, on wires of many kinds, and on wires that break; and how many messages a
 * reduction takes. */
#include "fabric/service/state.h"

#include "support/check.h"
#include "support/service_team.h"

#include <stdlib.h>
#include <string.h>

enum { SIZES = 7, TURNS = 3 };

static const size_t sizes[SIZES] = {0, 1, 8, 72, 5000, 20000, 100000};

static char byte_of(int rank, size_t at, int turn) {
    return (char)((size_t)rank * 31 + at * 7 + (size_t)turn);
}

static sct_status gather(team_rank *self, size_t bytes, int turn, bool *right) {
    int ranks = self->team->ranks;
    char *mine = malloc(bytes + 1), *all = calloc((size_t)ranks, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        mine[i] = byte_of(self->rank, i, turn);
    sct_status status = sct_service_gather(self->service, mine, bytes, all);
    *right = true;
    for (int r = 0; r < ranks && status == SCT_OK; r++)
        for (size_t i = 0; i < bytes; i++)
            *right &= all[(size_t)r * bytes + i] == byte_of(r, i, turn);
    free(mine);
    free(all);
    return status;
}

/* ---- Reductions ---- */

static _Thread_local const sct_wire_ops *real;
static _Thread_local int sent;

static sct_status count_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                             sct_message *request) {
    sent += kind == SCT_KIND_GATHER;
    return real->send(wire, rank, kind, from, bytes, request);
}

static int rounds_of(int ranks) {
    int rounds = 0;
    while (1 << rounds < ranks)
        rounds++;
    return rounds;
}

/* The least word is that of the last rank; each rank has a bit of its own. */
static void reduce(team_rank *self, sct_reduction how, size_t count) {
    int ranks = self->team->ranks;
    uint64_t *words = malloc(count * sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = how == SCT_LEAST ? (uint64_t)(ranks - self->rank) + i
                                    : (uint64_t)1 << ((size_t)self->rank + i % 8);
    CHECK(sct_service_reduce(self->service, how, words, count) == SCT_OK);
    for (size_t i = 0; i < count; i++)
        CHECK(words[i] == (how == SCT_LEAST ? 1 + i : (((uint64_t)1 << ranks) - 1) << i % 8));
    free(words);
}

/* A rank sends one message in each round, of which there are log2 p. */
static void count_messages(team_rank *self) {
    sct_wire *wire = self->service->wire;
    sct_wire_ops counting = *(real = wire->ops);
    counting.send = count_send;
    wire->ops = &counting;
    sent = 0;
    reduce(self, SCT_LEAST, 20);
    CHECK_CASE(sent == rounds_of(self->team->ranks), "%d messages of %d ranks", sent,
               self->team->ranks);
    wire->ops = real;
    team_barrier(self);
}

/* Each rank also adds to the memory of the next, before it gathers and until after it. */
static void work(team_rank *self) {
    double own[8] = {0}, one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    sct_memory block = {(char *)own, sizeof own, 1, sizeof own};
    sct_bands bands = {0};
    sct_place_far next = {1, (self->rank + 1) % self->team->ranks, 0, {0, 0, 1, sizeof own}};
    int rounds = 0;
    bool right;
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_barrier(self);
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SIZES; i++, rounds++) {
            uint64_t ticket;
            CHECK(sct_service_accumulate(self->service, SCT_F64, one, sizeof own, &next, &ticket) ==
                  SCT_OK);
            CHECK(gather(self, sizes[i], turn, &right) == SCT_OK);
            CHECK_CASE(right, "rank %d, %zu bytes", self->rank, sizes[i]);
            reduce(self, i % 2 ? SCT_LEAST : SCT_ANY_BIT, (size_t)i * 33 + 1);
            CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
        }
    team_barrier(self);
    CHECK(own[0] == rounds && own[7] == rounds);
    team_barrier(self);
    sct_service_withdraw(self->service, 1);
}

/* All ranks fail, sooner or later; none waits forever. */
static void work_until_broken(team_rank *self) {
    bool right = true;
    if (self->rank == 0)
        wires_break(self->team->wires, 0, *(const long *)self->team->arg, true);
    while (gather(self, 100, 0, &right) == SCT_OK)
        CHECK(right);
    CHECK(gather(self, 100, 0, &right) == SCT_FAILED);
    CHECK(sct_service_status(self->service) == SCT_FAILED);
    team_barrier(self);
}

int main(void) {
    for (int ranks = 1; ranks <= 8; ranks++)
        team_run(&(team){.ranks = ranks, .most_bytes = 3000, .seed = 1, .body = count_messages});
    for (int ranks = 1; ranks <= 7; ranks++) {
        team_run(&(team){.ranks = ranks, .sockets = true, .most_bytes = 1, .body = work});
        team_run(&(team){.ranks = ranks,
                         .most_bytes = 3000,
                         .threaded = ranks % 2,
                         .delay = ranks % 3 * 4,
                         .seed = check_seed((uint64_t)ranks),
                         .body = work});
    }
    for (long calls = 1; calls < 60; calls += 7)
        team_run(&(team){.ranks = 3,
                         .most_bytes = 3000,
                         .threaded = calls % 2,
                         .seed = 1,
                         .may_break = true,
                         .body = work_until_broken,
                         .arg = &calls});
    return check_report("service_gather");
}
