/* service_large.c - more transfers than may be in flight, offsets beyond 32 bits, a rank that makes
 * no calls or ends while others ask, and how rectangles are cut into pieces. */
#include "fabric/service/service.h"

#include "support/check.h"
#include "support/service_team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RANKS = 4 };

/* Every rank adds to every rank, far more than may be in flight, before any rank waits. */
static void flood(team_rank *self) {
    enum { LINES = 300, COUNT = 500, TIMES = 8 };
    int ranks = self->team->ranks;
    double *mine = calloc(LINES * COUNT, sizeof *mine),
           *ones = malloc(LINES * COUNT * sizeof *ones);
    for (int i = 0; i < LINES * COUNT; i++)
        ones[i] = 1;
    sct_memory block = {(char *)mine, COUNT * sizeof *mine, LINES, COUNT * sizeof *mine};
    sct_bands bands = {0};
    uint64_t tickets[TIMES * MOST_RANKS];
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_barrier(self);
    for (int i = 0; i < TIMES * ranks; i++)
        CHECK(sct_service_accumulate(
                  self->service, SCT_F64, ones, block.pitch,
                  &(sct_place_far){1, (self->rank + i) % ranks, 0, {0, 0, LINES, block.width}},
                  &tickets[i]) == SCT_OK);
    for (int i = 0; i < TIMES * ranks; i++)
        CHECK(sct_service_wait(self->service, tickets[i]) == SCT_OK);
    team_barrier(self);
    sct_service_withdraw(self->service, 1);
    bool exact = true;
    for (int i = 0; i < LINES * COUNT; i++)
        exact &= mine[i] == TIMES * ranks;
    CHECK(exact);
    free(mine);
    free(ones);
}

/* A rank that makes no calls answers by its thread: rank 1 makes none until rank 0 is done. */
static void absent(team_rank *self) {
    double mine[100], got[100] = {0};
    for (int i = 0; i < 100; i++)
        mine[i] = i;
    sct_memory block = {(char *)mine, sizeof mine, 1, sizeof mine};
    sct_bands bands = {0};
    uint64_t ticket;
    CHECK(sct_service_has_thread(self->service));
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_barrier(self);
    if (self->rank == 0) {
        sct_place_far place = {1, 1, 0, {0, 0, 1, sizeof mine}};
        CHECK(sct_service_get(self->service, &place, got, sizeof got, &ticket) == SCT_OK);
        CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
        CHECK(memcmp(got, mine, sizeof got) == 0);
    }
    team_barrier(self);
    sct_service_withdraw(self->service, 1);
}

/* A rank's pending requests. */
typedef struct late {
    wires *wires;
    pthread_barrier_t asked;
} late;

/* Asks for several pieces, some of which the sender does not copy, and receives none of them until
 * later. */
static void *receive_late(void *arg) {
    enum { PIECES = 8, LATER_US = 20000 };
    late *l = arg;
    sct_service *service = NULL;
    double got[PIECES] = {0};
    uint64_t tickets[PIECES];
    CHECK(sct_service_create(wires_open(l->wires, 0), &service) == SCT_OK);
    for (int i = 0; i < PIECES; i++)
        CHECK(sct_service_get(service, &(sct_place_far){1, 1, 0, {0, 0, 1, sizeof *got}}, &got[i],
                              sizeof *got, &tickets[i]) == SCT_OK);
    pthread_barrier_wait(&l->asked);
    usleep(LATER_US);
    for (int i = 0; i < PIECES; i++)
        CHECK(sct_service_wait(service, tickets[i]) == SCT_OK && got[i] == 7);
    sct_service_destroy(service);
    return NULL;
}

/* A service that ends first waits until the others have received what it sent. */
static void end_early(uint64_t seed) {
    late l = {.wires = wires_new(2, 1 << 12, false, 0, seed)};
    double mine = 7;
    sct_memory block = {(char *)&mine, sizeof mine, 1, sizeof mine};
    sct_bands bands = {0};
    sct_service *service = NULL;
    pthread_t other;
    pthread_barrier_init(&l.asked, NULL, 2);
    CHECK(sct_service_create(wires_open(l.wires, 1), &service) == SCT_OK);
    CHECK(sct_service_offer(service, 1, 1, &block, &bands) == SCT_OK);
    CHECK(pthread_create(&other, NULL, receive_late, &l) == 0);
    pthread_barrier_wait(&l.asked);
    sct_service_progress(service);
    sct_service_destroy(service);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&l.asked);
    wires_free(l.wires);
}

enum { FAR_LINES = 4, FAR_COUNT = 2000 };
static const size_t far_pitch = (size_t)3 << 30;

/* Memory whose lines are far apart; the gaps are never touched. */
static char *new_far(void) {
    char *made = mmap(NULL, FAR_LINES * far_pitch, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return CHECK(made != MAP_FAILED) ? made : NULL;
}

static float *far_line(char *base, int line) {
    return (float *)(base + (size_t)line * far_pitch + far_pitch / 2);
}

/* Offsets beyond 32 bits on both sides, in several pieces. */
static void far_apart(team_rank *self) {
    char *mine = new_far(), *local = new_far();
    size_t width = FAR_COUNT * sizeof(float);
    sct_memory block = {mine, far_pitch, FAR_LINES, far_pitch};
    sct_bands bands = {0};
    uint64_t ticket;
    sct_place_far place = {1, 1 - self->rank, 0, {1, far_pitch / 2, FAR_LINES - 1, width}};
    for (int i = 0; i < FAR_LINES * FAR_COUNT; i++)
        far_line(local, i / FAR_COUNT)[i % FAR_COUNT] = (float)i;
    CHECK(sct_service_offer(self->service, 1, 1, &block, &bands) == SCT_OK);
    team_barrier(self);
    CHECK(sct_service_accumulate(self->service, SCT_F32, far_line(local, 1), far_pitch, &place,
                                 &ticket) == SCT_OK);
    CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
    team_barrier(self);
    for (int i = 0; i < FAR_LINES * FAR_COUNT; i++)
        far_line(local, i / FAR_COUNT)[i % FAR_COUNT] = -1;
    CHECK(sct_service_get(self->service, &place, far_line(local, 0), far_pitch, &ticket) == SCT_OK);
    CHECK(sct_service_wait(self->service, ticket) == SCT_OK);
    bool exact = true;
    for (int i = 0; i < FAR_LINES * FAR_COUNT; i++) {
        int line = i / FAR_COUNT, next = i + FAR_COUNT;
        exact &= far_line(mine, line)[i % FAR_COUNT] == (line > 0 ? (float)i : 0);
        exact &= far_line(local, line)[i % FAR_COUNT] == (line < FAR_LINES - 1 ? (float)next : -1);
    }
    CHECK(exact);
    team_barrier(self);
    sct_service_withdraw(self->service, 1);
    munmap(mine, FAR_LINES * far_pitch);
    munmap(local, FAR_LINES * far_pitch);
}

int main(void) {
    uint64_t seed = check_seed(1);
    for (int i = 0; i < 4; i++)
        team_run(&(team){.ranks = i < 2 ? 1 : MOST_RANKS,
                         .most_bytes = 1 << 14,
                         .threaded = i % 2,
                         .delay = 5,
                         .seed = seed,
                         .body = flood});
    team_run(&(team){.ranks = MOST_RANKS, .sockets = true, .seed = seed, .body = flood});
    team_run(&(team){.ranks = 2, .most_bytes = 1 << 14, .threaded = true, .body = absent});
    team_run(&(team){.ranks = 2, .most_bytes = 1 << 14, .body = far_apart});
    end_early(seed);
    return check_report("service_large");
}
