/* service_failing.c - wires that break at any call, and requests that cannot be answered: all
 * transfers of all ranks fail with a reason, and no rank waits forever. */
#include "engine/devices.h"
#include "fabric/service/state.h"

#include "support/check.h"
#include "support/service_team.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 40, COUNT = 30, IN_FLIGHT = 6 };

typedef struct breaking {
    int rank;
    long calls;
    bool for_good;
} breaking;

typedef struct memory {
    double own[LINES * COUNT];
    sct_bands bands[3];
    sct_memory blocks[3], *block; /* only the second one is offered to other ranks */
    double to[IN_FLIGHT][LINES * COUNT], from[LINES * COUNT];
} memory;

static memory *offer_memory(team_rank *self) {
    memory *made = calloc(1, sizeof *made);
    size_t width = COUNT * sizeof(double);
    for (int i = 0; i < 3; i++)
        made->blocks[i] = (sct_memory){(char *)made->own, width, LINES, width};
    made->block = &made->blocks[1];
    for (uint64_t id = 1; id <= 2; id++)
        CHECK(sct_service_offer(self->service, id, 1, made->block, &made->bands[1]) == SCT_OK);
    sct_service_withdraw(self->service, 2);
    team_barrier(self);
    return made;
}

static sct_status begin(team_rank *self, memory *mine, int i, uint64_t *ticket) {
    size_t width = (COUNT - 3) * sizeof(double);
    int rank = (self->rank + 1 + i) % self->team->ranks;
    sct_place_far place = {1, rank, 0, {0, 8, i % 3 == 0 ? 2 : LINES, width}};
    return i % 2 ? sct_service_get(self->service, &place, mine->to[i], mine->block->pitch, ticket)
                 : sct_service_accumulate(self->service, SCT_F64, mine->from, mine->block->pitch,
                                          &place, ticket);
}

/* A round of transfers; returns whether all of them succeeded. */
static bool round_works(team_rank *self, memory *mine) {
    uint64_t tickets[IN_FLIGHT] = {0};
    bool works = true;
    for (int i = 0; i < IN_FLIGHT; i++)
        works &= begin(self, mine, i, &tickets[i]) == SCT_OK;
    for (int i = 0; i < IN_FLIGHT; i++)
        works &= sct_service_wait(self->service, tickets[i]) == SCT_OK;
    return works;
}

static void check_failed(team_rank *self, memory *mine, const char *reason) {
    uint64_t ticket = 77;
    for (int i = 0; i < 2; i++) {
        sct_status status = begin(self, mine, i, &ticket);
        CHECK(status == SCT_FAILED && ticket == 77);
        CHECK_CASE(strstr(sct_last_reason(), reason), "the reason: %s", sct_last_reason());
    }
    CHECK(sct_service_wait(self->service, 0) == SCT_OK);
}

/* Some ranks only learn from their own transfers that another rank is gone. */
static void work_until_broken(team_rank *self) {
    const breaking *how = self->team->arg;
    memory *mine = offer_memory(self);
    if (self->rank == how->rank)
        wires_break(self->team->wires, self->rank, how->calls, how->for_good);
    while (round_works(self, mine))
        ;
    check_failed(self, mine, how->for_good ? "" : "broke");
    team_barrier(self);
    free(mine);
}

static void test_broken_wires(uint64_t seed) {
    uint64_t random = seed;
    for (int i = 0; i < 160; i++) {
        int ranks = (int)check_between(&random, 1, 4);
        breaking how = {(int)check_between(&random, 0, ranks - 1),
                        check_between(&random, 1, i % 2 ? 40 : 1500), i % 3 == 0};
        team_run(&(team){.ranks = ranks,
                         .most_bytes = 1200,
                         .threaded = i / 2 % 2,
                         .delay = i % 5,
                         .seed = seed + (uint64_t)i,
                         .body = work_until_broken,
                         .arg = &how});
    }
}

/* Rank 0 asks for a segment that does not exist; the others get the error, too. */
static void ask_wrongly(team_rank *self) {
    const sct_place_far *wrong = self->team->arg;
    memory *mine = offer_memory(self);
    uint64_t ticket = 0;
    if (self->rank == 0) {
        CHECK(sct_service_get(self->service, wrong, mine->to[0], 8, &ticket) == SCT_OK);
        CHECK(sct_service_wait(self->service, ticket) == SCT_FAILED);
        CHECK(!strncmp(sct_last_reason(), "rank 1: ", 8));
        CHECK(sct_service_wait(self->service, ticket) == SCT_FAILED);
        CHECK(sct_service_done(self->service, ticket));
    } else {
        while (round_works(self, mine))
            ;
    }
    check_failed(self, mine, "rank 0 asked rank 1 for memory that it does not offer");
    CHECK_CASE((self->rank == 1) == !!strncmp(sct_last_reason(), "rank 1: ", 8), "who said so: %s",
               sct_last_reason());
    team_barrier(self);
    free(mine);
}

static void test_wrong_places(uint64_t seed) {
    size_t width = COUNT * sizeof(double);
    const sct_place_far wrong[] = {
        {2, 1, 0, {0, 0, 1, 8}},
        {1, 1, 1, {0, 0, 1, 8}},
        {1, 1, -1, {0, 0, 1, 8}},
        {1, 1, 0, {LINES, 0, 1, 8}},
        {1, 1, 0, {-1, 0, 1, 8}},
        {1, 1, 0, {1, 0, LINES, 8}},
        {1, 1, 0, {0, 0, 1, width + 1}},
        {1, 1, 0, {0, width, 1, 8}},
        {1, 1, 0, {0, SIZE_MAX - 7, 1, 8}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sct_place_far place = wrong[i];
        team_run(&(team){.ranks = 5,
                         .most_bytes = 1 << 16,
                         .threaded = i % 2,
                         .delay = 9,
                         .seed = seed + i,
                         .may_break = true,
                         .body = ask_wrongly,
                         .arg = &place});
    }
}

/* The wire is closed even if creating the service fails. */
static void test_short_messages(void) {
    wires *all = wires_new(2, 1000, true, 0, 1);
    sct_service *service = NULL;
    CHECK(sct_service_create(wires_open(all, 0), &service) == SCT_FAILED && !service);
    CHECK(strstr(sct_last_reason(), "too short"));
    wires_free(all);
}

static void say_request(sct_wire *wire, const sct_request_message *request, size_t bytes,
                        sct_service *service) {
    sct_message sent;
    bool done = false;
    CHECK(wire->ops->send(wire, 0, SCT_KIND_REQUEST, request, bytes, &sent) == SCT_OK);
    while (!done) {
        sct_service_progress(service);
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->test(wire, sent, &done) == SCT_OK);
    }
    sct_service_progress(service);
}

/* The reply that rank 0 gives rank 1. */
static void take_reply(sct_wire *wire, void *to, size_t bytes, sct_service *service) {
    sct_message received;
    bool done = false;
    CHECK(wire->ops->receive(wire, 0, SCT_KIND_REPLY, to, bytes, &received) == SCT_OK);
    while (!done) {
        CHECK(wire->ops->progress(wire) == SCT_OK);
        CHECK(wire->ops->test(wire, received, &done) == SCT_OK);
        sct_service_progress(service);
    }
}

/* A request that is cut short is refused, whatever the one before it in its place said. */
static void test_cut_requests(void) {
    static const sct_request_message get = {
        .id = 1, .part = {0, 0, 1, sizeof(double)}, .kind = SCT_REQUEST_GET};
    double own = 7, got = 0;
    const sct_memory block = {(char *)&own, sizeof own, 1, sizeof own};
    sct_bands bands = {.taken = {0}};
    sct_service *service;
    wires *all = wires_new(2, 1 << 16, false, 0, 1);
    wires_break(all, 0, 0, false); /* the failure is told to nobody */
    sct_wire *other = wires_open(all, 1);
    CHECK(sct_service_create(wires_open(all, 0), &service) == SCT_OK);
    CHECK(sct_service_offer(service, 1, 1, &block, &bands) == SCT_OK);
    say_request(other, &get, SCT_REQUEST_HEAD, service);
    take_reply(other, &got, sizeof got, service);
    CHECK(got == own && sct_service_status(service) == SCT_OK);
    say_request(other, &get, SCT_REQUEST_HEAD / 2, service);
    CHECK(sct_service_status(service) == SCT_FAILED);
    CHECK_CASE(strstr(sct_last_reason(), "does not offer"), "%s", sct_last_reason());
    sct_service_destroy(service);
    other->ops->close(other);
    wires_free(all);
}

/* ---- Outboxes ---- */

static _Alignas(8) char outbox[SCT_OUTBOX_BYTES];

/* Rank 1 asks rank 0 to add what lies in its outbox, as the piece of this record. Rank 0 adds a
 * number that is there, and refuses places that are in no outbox. */
static void fetch_add(sct_bounce *bounce, int32_t record, bool refuses) {
    const sct_request_message add = {.id = 1,
                                     .part = {0, 0, 1, sizeof(double)},
                                     .kind = SCT_REQUEST_FETCH_ADD,
                                     .type = SCT_F64,
                                     .record = record};
    double own = 7, two = 2;
    const sct_memory block = {(char *)&own, sizeof own, 1, sizeof own};
    sct_bands bands = {.taken = {0}};
    sct_service *service;
    wires *all = wires_new(2, 1 << 16, false, 0, 1);
    wires_break(all, 0, 0, false);
    sct_wire *other = wires_open(all, 1);
    for (size_t at = 0; at < sizeof outbox; at += sizeof two)
        memcpy(outbox + at, &two, sizeof two);
    CHECK(sct_service_create(wires_open(all, 0), &service) == SCT_OK);
    CHECK(!bounce || sct_service_bounce(service, bounce) == SCT_OK);
    CHECK(sct_service_offer(service, 1, 1, &block, &bands) == SCT_OK);
    say_request(other, &add, SCT_REQUEST_HEAD, service);
    if (!refuses)
        take_reply(other, NULL, 0, service);
    CHECK(own == (refuses ? 7 : 9));
    CHECK((sct_service_status(service) == SCT_FAILED) == refuses);
    CHECK_CASE(!refuses || strstr(sct_last_reason(), "rank 1 has no outbox"), "%s",
               sct_last_reason());
    sct_service_destroy(service);
    other->ops->close(other);
    wires_free(all);
}

/* Rank 0 has a device, though it can touch the memory in question; rank 1 has an outbox. */
static void test_outboxes(void) {
    char *all[] = {NULL, outbox};
    sct_device *device;
    sct_bounce bounce;
    fetch_add(NULL, 0, true);
    if (!CHECK(device_emulated(1, 0, 0, &device) == SCT_OK) ||
        !CHECK(sct_bounce_open(&bounce, device) == SCT_OK))
        return;
    bounce.outbox = all;
    bounce.ranks = 2;
    fetch_add(&bounce, 0, false);
    fetch_add(&bounce, SCT_MAX_PIECES - 1, true);
    bounce.ranks = 0;
    bounce.outbox = NULL;
    sct_bounce_close(&bounce);
    device->ops->close(device);
}

/* The reason of another rank's failure stays on one line, as it may be printed. It is not passed
 * on, as these wires have no connections: who reports a failure reaches all. */
static void test_reported_reason(void) {
    static const sct_request_message end = {
        .kind = SCT_REQUEST_END, .record = 1, .bytes = "first\nsecond\x1b[1m\x7f"};
    sct_request_message passed_on = {.record = -1};
    sct_service *service;
    bool taken = false;
    int from;
    wires *all = wires_new(3, 1 << 16, false, 0, 1);
    sct_wire *other = wires_open(all, 1), *third = wires_open(all, 2);
    CHECK(sct_service_create(wires_open(all, 0), &service) == SCT_OK);
    say_request(other, &end, SCT_REQUEST_HEAD + 32, service);
    CHECK(sct_service_status(service) == SCT_FAILED);
    CHECK_CASE(!strcmp(sct_last_reason(), "rank 1: first?second?[1m?"), "%s", sct_last_reason());
    CHECK(third->ops->take(third, SCT_KIND_REQUEST, &passed_on, sizeof passed_on, &from, &taken) ==
          SCT_OK);
    CHECK(!taken);
    third->ops->close(third);
    sct_service_destroy(service);
    other->ops->close(other);
    wires_free(all);
}

int main(void) {
    uint64_t seed = check_seed(1);
    test_broken_wires(seed);
    test_wrong_places(seed);
    test_short_messages();
    test_cut_requests();
    test_outboxes();
    test_reported_reason();
    return check_report("service_failing");
}
