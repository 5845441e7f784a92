/* sync.c - with `sync` nothing moves when a group has ended: no get for later groups, and no
 * accumulate. */
#include "exec/job.h"
#include "support/check.h"
#include "whole/support/trio.h"

enum { SIZE = 48, RANKS = 4 };

static int64_t moving(const sct_job *job) {
    int64_t tickets = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int64_t i = 0; i < job->plan->slots[matrix].count; i++)
            tickets += job->slot[matrix][i].tickets;
    return tickets;
}

static sct_status settle(void *self) {
    sct_status status = sct_interpreter.settle(self);
    CHECK(moving(self) == 0);
    return status;
}

/* Once as always, and once watched. */
static void run_watched(sct_job *job) {
    sct_actor actor = sct_interpreter;
    actor.settle = settle;
    const double alpha = 1, beta = 0;
    CHECK(sct_job_start(job, &alpha, &beta) == SCT_OK);
    CHECK(sct_walk(&job->walker, &actor, job) == SCT_OK);
    CHECK(sct_job_settle(job) == SCT_OK);
    CHECK(sct_job_wait(job) == SCT_OK);
}

static int run_synchronous(sct_world *world, void *options) {
    const trio_kind kind = {.layout = {"2d", "col", "row"},
                            .type = SCT_F64,
                            .size = SIZE,
                            .ranks_per_node = 1,
                            .options = options};
    trio_watch(world, &kind, run_watched);
    return 0;
}

int main(void) {
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++)
        for (int schedule = SCT_DIRECT; schedule <= SCT_EXHAUSTIVE; schedule++) {
            sct_options options = {.size = sizeof options,
                                   .stay = (sct_stay)stay,
                                   .schedule = (sct_schedule)schedule,
                                   .slicing = SCT_SLICE_TILE,
                                   .sync = 1};
            sct_world_options world = {.size = sizeof world, .ranks_per_node = 1};
            CHECK(sct_run(RANKS, &world, run_synchronous, &options) == SCT_OK);
        }
    return check_report("sync");
}
