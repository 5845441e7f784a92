/* own_part_overlap.c - while accumulates to other ranks are in flight, a rank computes its own part
 * of C without waiting for them. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/operands.h"

enum { SIZE = 48, RANKS = 2 };

/* Finished slices of C, of other ranks and of this rank. */
static _Thread_local int64_t others, own;

static sct_status multiply(void *self, const sct_task *task) {
    const sct_job *job = self;
    sct_status status = sct_interpreter.multiply(self, task);
    bool mine = sct_operand_first(&task->operand[SCT_MAT_C]).rank == job->plan->rank;
    *(mine ? &own : &others) += task->flush;
    CHECK(job->run.sent == others && job->run.arrived == (others > 1 ? others - 1 : 0));
    return status;
}

static void inspect(const sct_job *job, bool settled) {
    int64_t claimed = 0;
    for (int64_t i = 0; i < job->plan->slots[SCT_MAT_C].count; i++)
        claimed += job->workspace.slot[SCT_MAT_C][i].claimed;
    CHECK(claimed == job->run.sent - job->run.arrived);
    CHECK(others == 2 && own == 2);
    CHECK(!settled || job->run.arrived == others);
}

static int run(sct_world *world, void *options) {
    const operands_spec spec = {.layout = {"row", "row", "cyclic:24x24@2x1"},
                                .type = SCT_F64,
                                .size = SIZE,
                                .options = options};
    sct_actor actor = sct_interpreter;
    actor.multiply = multiply;
    operands_run(world, &spec, &actor, inspect);
    return 0;
}

int main(void) {
    sct_options options = {.size = sizeof options,
                           .stay = SCT_STAY_B,
                           .slicing = SCT_SLICE_TILE,
                           .accumulates_in_flight = 1};
    emulated_options emulated = {.host = 1, .ranks_per_node = 1};
    const sct_world_options world = emulated_world(&emulated);
    CHECK(sct_run(RANKS, &world, run, &options) == SCT_OK);
    return check_report("own_part_overlap");
}
