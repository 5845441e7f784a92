/* device_waits.c - on devices the host does not wait within a run: however many steps it has, it
 * waits as often, namely when it begins and ends. */
#include "api/world.h"
#include "support/check.h"
#include "whole/support/elements.h"

enum { RANKS = 3, SIZE = 48, MOST_WAITS = 10 };

/* What one rank does in a run of a job. */
typedef struct counts {
    int64_t steps, waits;
    uint64_t got, accumulated;
} counts;

typedef struct request {
    const char *layout;
    sct_options options;
    counts of[RANKS];
} request;

static sct_plan *make_plan(sct_world *world, const request *r, sct_matrix *const matrix[3]) {
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F64,
                           .a = sct_matrix_layout(matrix[0]),
                           .b = sct_matrix_layout(matrix[1]),
                           .c = sct_matrix_layout(matrix[2]),
                           .ranks = RANKS,
                           .ranks_per_node = 1};
    sct_plan *plan = NULL;
    CHECK_CASE(sct_plan_create(&problem, sct_world_rank(world), &r->options, &plan) == SCT_OK, "%s",
               sct_last_reason());
    return plan;
}

static int count_waits(sct_world *world, void *arg) {
    request *r = arg;
    const double one = 1, zero = 0;
    sct_matrix *matrix[3];
    sct_job *job;
    for (int i = 0; i < 3; i++) {
        matrix[i] = matrix_new(world, SCT_F64, r->layout, SIZE, SIZE);
        matrix_set(world, matrix[i], (element){1, 0});
    }
    sct_plan *plan = make_plan(world, r, matrix);
    sct_cost cost = {.steps = 0};
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
    CHECK(sct_job_create(world, plan, sct_whole(matrix[0]), sct_whole(matrix[1]),
                         sct_whole(matrix[2]), &job) == SCT_OK);
    uint64_t before = world->device->waits;
    CHECK(sct_job_start(job, &one, &zero) == SCT_OK && sct_job_wait(job) == SCT_OK);
    sct_traffic traffic = sct_world_traffic(world);
    r->of[sct_world_rank(world)] =
        (counts){(int64_t)cost.steps, (int64_t)(world->device->waits - before), traffic.bytes_got,
                 traffic.bytes_accumulated};
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
    return 0;
}

static void run(request *r) {
    sct_world_options world = {.size = sizeof world, .engine = "pretended", .delay_us = 20};
    r->options.size = sizeof r->options;
    CHECK_CASE(sct_run(RANKS, &world, count_waits, r) == SCT_OK, "%s", sct_last_reason());
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
    for (int r = 0; r < RANKS; r++) {
        const counts *less = &few.of[r], *more = &many.of[r];
        CHECK_CASE(more->steps >= 10 * less->steps && less->steps > 4, "%lld and %lld steps",
                   (long long)less->steps, (long long)more->steps);
        CHECK_CASE(less->waits == more->waits && more->waits <= MOST_WAITS,
                   "%lld and %lld waits in %lld and %lld steps", (long long)less->waits,
                   (long long)more->waits, (long long)less->steps, (long long)more->steps);
        CHECK(more->got > 0 && (stay != SCT_STAY_A || more->accumulated > 0));
    }
}

int main(void) {
    compare(SCT_STAY_A);
    compare(SCT_STAY_B);
    compare(SCT_STAY_C);
    return check_report("device_waits");
}
