/* sockets_partners.c - which ranks the wire of sockets connects: those of a tree at the start, then
 * those that send each other anything, once each, also if both call at the same time. */
#include "fabric/service/state.h"
#include "fabric/sockets/state.h"
#include "support/check.h"
#include "support/service_team.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = RANK_THREADS_MOST, TIMES = 30, FILES = 2048 };

/* ---- What is expected ---- */

/* Whether rank b is the parent of rank a: it lacks the lowest bit of a. */
static bool is_parent(int a, int b) {
    return a > 0 && b == (a & (a - 1));
}

static bool in_tree(int a, int b, int ranks) {
    (void)ranks;
    return is_parent(a, b) || is_parent(b, a);
}

static bool in_ring(int a, int b, int ranks) {
    return (a + 1) % ranks == b || (b + 1) % ranks == a;
}

/* Partners of a reduction: 1, 2, 4, ... ranks away. */
static bool in_rounds(int a, int b, int ranks) {
    bool are = false;
    for (int far = 1; far < ranks; far *= 2)
        are |= (a + far) % ranks == b || (b + far) % ranks == a;
    return are;
}

static bool in_all(int a, int b, int ranks) {
    (void)ranks;
    return a != b;
}

typedef bool partners(int a, int b, int ranks);

/* The partners are, besides those of the tree, connected, and no others. */
static void check_partners(sct_wire *wire, partners *are, const char *when) {
    const sct_sockets *self = (const sct_sockets *)wire;
    int rank = wire->rank, ranks = wire->size, wanted = 0, connections = 0;
    for (int other = 0; other < ranks; other++) {
        bool partner = other != rank && (in_tree(rank, other, ranks) || are(rank, other, ranks));
        wanted += partner;
        CHECK_CASE(sct_link_is_open(self, other) == partner, "%s: ranks %d and %d of %d", when,
                   rank, other, ranks);
    }
    for (int i = 0; i < self->links_count; i++)
        connections += self->links[i]->fd >= 0;
    CHECK_CASE(connections == wanted && self->reception.count == 0,
               "%s: %d connections of rank %d of %d, and %d callers", when, connections, rank,
               ranks, self->reception.count);
}

/* ---- Messages ---- */

typedef struct member {
    rank_thread thread;
    partners *are;
} member;

static void meet(member *self) {
    pthread_barrier_wait(&self->thread.group->barrier);
}

/* Each rank sends its number to each partner, and they to it. */
static void exchange(sct_wire *wire, partners *are) {
    int got[MOST], flights = 0;
    sct_message flight[2 * MOST];
    for (int other = 0; other < wire->size; other++) {
        if (other == wire->rank || !are(wire->rank, other, wire->size))
            continue;
        CHECK(wire->ops->receive(wire, other, 0, &got[other], sizeof(int), &flight[flights++]) ==
              SCT_OK);
        CHECK_CASE(wire->ops->send(wire, other, 0, &wire->rank, sizeof(int), &flight[flights++]) ==
                       SCT_OK,
                   "%s", sct_last_reason());
    }
    for (int i = 0; i < flights; i++)
        for (bool done = false; !done;) {
            if (!CHECK_CASE(wire->ops->progress(wire) == SCT_OK, "%s", sct_last_reason()))
                exit(1);
            CHECK(wire->ops->test(wire, flight[i], &done) == SCT_OK);
            wire->ops->await(wire, done ? 0 : 1);
        }
    for (int other = 0; other < wire->size; other++)
        if (other != wire->rank && are(wire->rank, other, wire->size))
            CHECK(got[other] == other);
}

/* A rank waits for others with its wire, as long as they may want to connect. */
static void settle(sct_wire *wire, member *self) {
    meet(self);
    for (int i = 0; i < 20; i++) {
        CHECK(wire->ops->progress(wire) == SCT_OK);
        wire->ops->await(wire, 1);
    }
    meet(self);
}

static void *run_rank(void *arg) {
    member *self = arg;
    sct_bootstrap ranks = rank_threads_bootstrap(&self->thread);
    sct_wire *wire;
    if (!CHECK_CASE(sct_sockets_create(&ranks, &wire) == SCT_OK, "%s", sct_last_reason()))
        exit(1);
    check_partners(wire, in_tree, "the start");
    meet(self);
    for (int i = 0; i < 2; i++)
        exchange(wire, self->are);
    settle(wire, self);
    check_partners(wire, self->are, "messages");
    wire->ops->close(wire);
    return NULL;
}

static int open_files(void) {
    int open = 0;
    for (int file = 0; file < FILES; file++)
        open += fcntl(file, F_GETFD) >= 0;
    return open;
}

static void test_messages(void) {
    static partners *const all[] = {in_tree, in_ring, in_rounds, in_all};
    static const int sizes[] = {1, 2, 3, 8, 13, MOST};
    int files = open_files();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof all / sizeof *all; j++) {
            member members[MOST];
            for (int r = 0; r < MOST; r++)
                members[r] = (member){.are = all[j]};
            rank_threads_run(sizes[i], run_rank, members, sizeof *members);
        }
    /* the order in which ranks call each other differs each time */
    for (int i = 0; i < TIMES; i++) {
        member members[MOST];
        for (int r = 0; r < MOST; r++)
            members[r] = (member){.are = in_all};
        rank_threads_run(3 + i % 6, run_rank, members, sizeof *members);
    }
    CHECK(open_files() == files);
}

/* ---- Services ---- */

/* A gather and a reduction have the same partners: so each rank is connected to at most 2 log2 p.
 */
static void reduce(team_rank *self) {
    uint64_t word = (uint64_t)self->rank + 3;
    int numbers[MOST];
    CHECK(sct_service_reduce(self->service, SCT_LEAST, &word, 1) == SCT_OK && word == 3);
    CHECK(sct_service_gather(self->service, &self->rank, sizeof(int), numbers) == SCT_OK);
    for (int r = 0; r < self->team->ranks; r++)
        CHECK(numbers[r] == r);
    team_barrier(self);
    pthread_mutex_lock(&self->service->mutex);
    check_partners(self->service->wire, in_rounds, "a reduction");
    pthread_mutex_unlock(&self->service->mutex);
    team_barrier(self);
}

/* ---- Reports ---- */

static const sct_wire_ops *real; /* the same for all wires */
static sct_wire_ops counting;
static atomic_int reports;

static sct_status count_send(sct_wire *wire, int rank, int kind, const void *from, size_t bytes,
                             sct_message *request) {
    const sct_request_message *message = from;
    if (kind == SCT_KIND_REQUEST && message->kind == SCT_REQUEST_END)
        atomic_fetch_add(&reports, 1);
    return real->send(wire, rank, kind, from, bytes, request);
}

typedef struct failing_member {
    rank_thread thread;
    int failing; /* the rank that fails */
} failing_member;

/* One rank fails: all others have its reason, though most are not connected to it. The report goes
 * over each connection at most once each way. */
static void *fail(void *arg) {
    failing_member *self = arg;
    sct_bootstrap ranks = rank_threads_bootstrap(&self->thread);
    pthread_barrier_t *barrier = &self->thread.group->barrier;
    sct_wire *wire;
    sct_service *service;
    if (!CHECK(sct_sockets_create(&ranks, &wire) == SCT_OK))
        exit(1);
    if (self->thread.rank == 0) {
        real = wire->ops;
        counting = *real;
        counting.send = count_send;
    }
    pthread_barrier_wait(barrier);
    wire->ops = &counting;
    CHECK(sct_service_create(wire, &service) == SCT_OK);
    pthread_barrier_wait(barrier);
    if (self->thread.rank == self->failing) {
        pthread_mutex_lock(&service->mutex);
        sct_service_fail(service, sct_fail(SCT_FAILED, "of old age"));
        pthread_mutex_unlock(&service->mutex);
    }
    while (sct_service_status(service) == SCT_OK)
        sched_yield();
    CHECK_CASE(strstr(sct_last_reason(), "of old age"), "%s", sct_last_reason());
    pthread_barrier_wait(barrier);
    sct_service_destroy(service);
    return NULL;
}

static void test_reports(int ranks, int failing) {
    failing_member members[MOST];
    for (int r = 0; r < ranks; r++)
        members[r] = (failing_member){.failing = failing};
    atomic_store(&reports, 0);
    rank_threads_run(ranks, fail, members, sizeof *members);
    int sent = atomic_load(&reports);
    CHECK_CASE(sent >= ranks - 1 && sent <= 2 * (ranks - 1), "%d reports of %d ranks", sent, ranks);
}

int main(void) {
    test_messages();
    for (int ranks = 1; ranks <= MOST; ranks += 5)
        team_run(&(team){.ranks = ranks, .sockets = true, .body = reduce});
    for (int failing = 0; failing < MOST; failing += 3)
        test_reports(MOST, failing);
    return check_report("sockets_partners");
}
