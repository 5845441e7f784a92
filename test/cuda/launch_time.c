/* launch_time.c - prints how long the host takes to launch a step, on stand-ins that run nothing.
 */
#include "cuda/stand_in.h"
#include "support/check.h"
#include "whole/support/elements.h"

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

static sct_plan *make_plan(sct_world *world, sct_stay stay, sct_matrix *const matrix[3]) {
    sct_options options = {.size = sizeof options,
                           .stay = stay,
                           .slicing = SCT_SLICE_TILE,
                           .products_in_flight = 2,
                           .accumulates_in_flight = 2};
    sct_problem problem = {.size = sizeof problem,
                           .type = SCT_F32,
                           .a = sct_matrix_layout(matrix[0]),
                           .b = sct_matrix_layout(matrix[1]),
                           .c = sct_matrix_layout(matrix[2]),
                           .ranks = RANKS,
                           .ranks_per_node = 1};
    sct_plan *plan = NULL;
    CHECK(sct_plan_create(&problem, sct_world_rank(world), &options, &plan) == SCT_OK);
    return plan;
}

static int run(sct_world *world, void *arg) {
    request *r = arg;
    const float one = 1, zero = 0;
    sct_matrix *matrix[3];
    sct_job *job;
    sct_cost cost = {.steps = 0};
    for (int i = 0; i < 3; i++)
        matrix[i] = matrix_new(world, SCT_F32, "cyclic:64x64", SIZE, SIZE);
    sct_plan *plan = make_plan(world, r->stay, matrix);
    CHECK(sct_plan_cost(plan, &cost) == SCT_OK);
    CHECK(sct_job_create(world, plan, sct_whole(matrix[0]), sct_whole(matrix[1]),
                         sct_whole(matrix[2]), &job) == SCT_OK);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(sct_job_start(job, &one, &zero) == SCT_OK);
        double begin = now();
        CHECK(sct_job_wait(job) == SCT_OK);
        if (sct_world_rank(world) == 0)
            r->us[round] = 1e6 * (now() - begin) / (double)cost.steps;
    }
    if (sct_world_rank(world) == 0)
        r->steps = cost.steps;
    sct_job_destroy(job);
    sct_plan_destroy(plan);
    for (int i = 0; i < 3; i++)
        sct_matrix_destroy(matrix[i]);
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
