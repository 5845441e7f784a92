/* device_waits.c - on devices the host does not wait within a run: however many steps it has, it
 * waits as often, namely when it begins and ends. And nothing goes through memory of the host. */
#include "api/world.h"
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/operands.h"

#include <stdatomic.h>

enum { RANKS = 3, SIZE = 48, MOST_WAITS = 10 };

/* ---- Moves from or to memory of the host ---- */

/* A device, whose functions are replaced by ones that count. */
typedef struct counted {
    sct_device *device;
    const sct_device_ops *real;
    sct_device_ops counting;
} counted;

static counted devices[RANKS];
static _Atomic(counted *) any;
static atomic_llong moves_by_host;

static bool can_use(const void *memory) {
    const counted *c = atomic_load(&any);
    return c->real->can_use(c->device, memory);
}

static sct_status count_moves(sct_stream *stream, const sct_command *command) {
    const sct_strided_work *w = &command->strided;
    if (command->work == SCT_DO_MOVE && !(can_use(w->from) && can_use(w->to)))
        atomic_fetch_add(&moves_by_host, 1);
    return atomic_load(&any)->real->submit(stream, command);
}

static void begin_counting(sct_world *world) {
    counted *c = &devices[sct_world_rank(world)];
    *c = (counted){world->device, world->device->ops, *world->device->ops};
    c->counting.submit = count_moves;
    atomic_store(&any, c);
    world->device->ops = &c->counting;
}

static int64_t end_counting(sct_world *world) {
    world->device->ops = devices[sct_world_rank(world)].real;
    return atomic_load(&moves_by_host);
}

/* ---- Runs ---- */

/* What one rank does in a run of a job. */
typedef struct counts {
    int64_t steps, waits, by_host;
    uint64_t got, accumulated;
} counts;

typedef struct request {
    const char *layout;
    sct_options options;
    counts of[RANKS];
} request;

static int count_waits(sct_world *world, void *arg) {
    request *r = arg;
    const double one = 1, zero = 0;
    const operands_spec spec = {.layout = {r->layout, r->layout, r->layout},
                                .type = SCT_F64,
                                .size = SIZE,
                                .options = &r->options};
    operands made;
    operands_create(world, &spec, &made);
    sct_cost cost = {.steps = 0};
    CHECK(sct_plan_cost(made.plan, &cost) == SCT_OK);
    uint64_t before = world->device->waits;
    begin_counting(world);
    CHECK(sct_job_start(made.job, &one, &zero) == SCT_OK && sct_job_wait(made.job) == SCT_OK);
    CHECK(sct_world_barrier(world) == SCT_OK);
    int64_t by_host = end_counting(world);
    sct_traffic traffic = sct_world_traffic(world);
    r->of[sct_world_rank(world)] =
        (counts){(int64_t)cost.steps, (int64_t)(world->device->waits - before), by_host,
                 traffic.bytes_got, traffic.bytes_accumulated};
    operands_destroy(&made);
    return 0;
}

static void run(request *r) {
    emulated_options emulated = {.ranks_per_node = 1, .delay_us = 20};
    const sct_world_options world = emulated_world(&emulated);
    r->options.size = sizeof r->options;
    CHECK_CASE(sct_run(RANKS, &world, count_waits, r) == SCT_OK, "%s", sct_last_reason());
}

/* Whether a rank was of this process. */
static bool ran(const request *r, int rank) {
    return r->of[rank].steps > 0;
}

/* Blocks of 16 make few steps, blocks of 4 many. */
static void compare(sct_stay stay) {
    sct_options options = {.stay = stay,
                           .slicing = SCT_SLICE_TILE,
                           .products_in_flight = 2,
                           .accumulates_in_flight = 2};
    request few = {.layout = "cyclic:16x16@1x3", .options = options};
    request many = {.layout = "cyclic:4x4@1x3", .options = options};
    run(&few);
    run(&many);
    int here = 0;
    for (int r = 0; r < RANKS; r++) {
        here += ran(&few, r);
        if (!ran(&few, r))
            continue;
        const counts *less = &few.of[r], *more = &many.of[r];
        CHECK_CASE(more->steps >= 10 * less->steps && less->steps > 4, "%lld and %lld steps",
                   (long long)less->steps, (long long)more->steps);
        CHECK_CASE(less->waits == more->waits && more->waits <= MOST_WAITS,
                   "%lld and %lld waits in %lld and %lld steps", (long long)less->waits,
                   (long long)more->waits, (long long)less->steps, (long long)more->steps);
        CHECK_CASE(more->by_host == 0, "%lld moves by the host", (long long)more->by_host);
        CHECK(more->got > 0 && (stay != SCT_STAY_A || more->accumulated > 0));
    }
    CHECK(here == RANKS || here == 1);
}

int main(void) {
    compare(SCT_STAY_A);
    compare(SCT_STAY_B);
    compare(SCT_STAY_C);
    return check_report("device_waits");
}
