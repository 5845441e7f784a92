/* sync.c - with the option `sync` nothing is in flight when a group of steps has ended: no get for
 * later groups, and no accumulate. */
#include "engine/emulated.h"
#include "support/check.h"
#include "whole/support/operands.h"

enum { SIZE = 48, RANKS = 4 };

static int64_t moving(const sct_job *job) {
    int64_t transfers = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int64_t i = 0; i < job->plan->slots[matrix].count; i++)
            transfers += job->workspace.slot[matrix][i].transfers.count;
    return transfers;
}

static sct_status settle(void *self) {
    sct_status status = sct_interpreter.settle(self);
    CHECK(moving(self) == 0);
    return status;
}

static int run_synchronous(sct_world *world, void *options) {
    const operands_spec spec = {
        .layout = {"2d", "col", "row"}, .type = SCT_F64, .size = SIZE, .options = options};
    sct_actor actor = sct_interpreter;
    actor.settle = settle;
    operands_run(world, &spec, &actor, NULL);
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
            emulated_options emulated = {.host = 1, .ranks_per_node = 1};
            const sct_world_options world = emulated_world(&emulated);
            CHECK(sct_run(RANKS, &world, run_synchronous, &options) == SCT_OK);
        }
    return check_report("sync");
}
