/* at_hand.c - a rank adds what is its own of C while slices for others are on their way: it waits
 * for none of these. */
#include "exec/job.h"
#include "support/check.h"
#include "whole/support/trio.h"

enum { SIZE = 48, RANKS = 2 };

/* Slices of C that have been handed over, of others and of the rank's own. */
static _Thread_local int64_t others, own;

static sct_status multiply(void *self, const sct_task *task) {
    const sct_job *job = self;
    sct_status status = sct_interpreter.multiply(self, task);
    bool mine = sct_operand_first(&task->operand[SCT_MAT_C]).rank == job->plan->rank;
    *(mine ? &own : &others) += task->flush;
    CHECK(job->sent == others && job->arrived == (others > 1 ? others - 1 : 0));
    return status;
}

static void check_slots(const sct_job *job) {
    int64_t claimed = 0;
    for (int64_t i = 0; i < job->plan->slots[SCT_MAT_C].count; i++)
        claimed += job->slot[SCT_MAT_C][i].claimed;
    CHECK(claimed == job->sent - job->arrived);
}

static void run_watched(sct_job *job) {
    sct_actor actor = sct_interpreter;
    actor.multiply = multiply;
    const double alpha = 1, beta = 0;
    CHECK(sct_job_start(job, &alpha, &beta) == SCT_OK);
    CHECK(sct_walk(&job->walker, &actor, job) == SCT_OK);
    CHECK(others == 2 && own == 2);
    check_slots(job);
    CHECK(sct_job_settle(job) == SCT_OK);
    check_slots(job);
    CHECK(job->arrived == others && sct_job_wait(job) == SCT_OK);
}

static int run(sct_world *world, void *options) {
    const trio_kind kind = {.layout = {"row", "row", "cyclic:24x24@2x1"},
                            .type = SCT_F64,
                            .size = SIZE,
                            .ranks_per_node = 1,
                            .options = options};
    trio_watch(world, &kind, run_watched);
    return 0;
}

int main(void) {
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_B,
                           .slicing = SCT_SLICE_TILE,
                           .accumulates_in_flight = 1};
    sct_world_options world = {.size = sizeof world, .ranks_per_node = 1};
    CHECK(sct_run(RANKS, &world, run, &options) == SCT_OK);
    return check_report("at_hand");
}
