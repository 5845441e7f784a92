/* launch_time.c - prints how long the host takes to launch a step, on stand-ins that run nothing.
 */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/operands.h"

#include <stdio.h>
#include <time.h>

enum { RANKS = 2, SIZE = 1024, ROUNDS = 9 };

typedef struct request {
    sct_stay stay;
    const char *name;
    double us[ROUNDS]; /* per step of rank 0 */
    int64_t steps;
} request;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run(sct_world *world, void *arg) {
    request *r = arg;
    const float one = 1, zero = 0;
    const sct_options options = {.size = sizeof options,
                                 .stay = r->stay,
                                 .slicing = SCT_SLICE_TILE,
                                 .products_in_flight = 2,
                                 .accumulates_in_flight = 2};
    const operands_spec spec = {.layout = {"cyclic:64x64", "cyclic:64x64", "cyclic:64x64"},
                                .type = SCT_F32,
                                .size = SIZE,
                                .options = &options};
    operands o;
    operands_create(world, &spec, &o);
    sct_cost cost = {.steps = 0};
    CHECK(sct_plan_cost(o.plan, &cost) == SCT_OK);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(sct_job_start(o.job, &one, &zero) == SCT_OK);
        double begin = now();
        CHECK(sct_job_wait(o.job) == SCT_OK);
        if (sct_world_rank(world) == 0)
            r->us[round] = 1e6 * (now() - begin) / (double)cost.steps;
    }
    if (sct_world_rank(world) == 0)
        r->steps = cost.steps;
    operands_destroy(&o);
    return 0;
}

static double median(double *values) {
    for (int i = 1; i < ROUNDS; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            double swapped = values[j];
            values[j] = values[j - 1];
            values[j - 1] = swapped;
        }
    return values[ROUNDS / 2];
}

int main(void) {
    request requests[] = {
        {SCT_STAY_A, "a", {0}, 0}, {SCT_STAY_B, "b", {0}, 0}, {SCT_STAY_C, "c", {0}, 0}};
    for (int i = 0; i < 3; i++) {
        sct_world_options world = {.size = sizeof world, .engine = "cuda"};
        stand_in_start((stand_in_machine){.devices = RANKS, .idle = true});
        CHECK_CASE(sct_run(RANKS, &world, run, &requests[i]) == SCT_OK, "%s", sct_last_reason());
        stand_in_end();
        double longest = requests[i].us[0], middle = median(requests[i].us);
        printf("stationary %s: %lld steps, %.2f us each (median of %d; the first run %.2f)\n",
               requests[i].name, (long long)requests[i].steps, middle, ROUNDS, longest);
    }
    return check_report("launch_time");
}
