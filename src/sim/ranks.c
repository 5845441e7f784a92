/* ranks.c - creates a simulation, and adds ranks to it by their plans. */
#include "sim/sim.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

void sct_sim_clear(sct_sim *sim) {
    for (int rank = 0; sim->rank && rank < sim->ranks; rank++) {
        sct_script_clear(&sim->rank[rank].script);
        free(sim->rank[rank].pending);
    }
    free(sim->rank);
    free(sim->transfer);
    sct_cpu_shares_clear(sim);
    free(sim->turns);
    free(sim->touched);
    free(sim->stale);
    sct_priority_queue_clear(&sim->queue);
    sct_network_clear(&sim->network);
}

sct_status sct_sim_create(const sct_machine *machine, const sct_observer *observer, int ranks,
                          sct_rank_subset subset, sct_sim *sim) {
    *sim = (sct_sim){.machine = machine, .observer = observer, .ranks = ranks, .subset = subset};
    sim->rank = calloc((size_t)ranks, sizeof *sim->rank);
    sim->turns = calloc(2 * (size_t)ranks, sizeof *sim->turns);
    sim->touched = malloc((size_t)ranks * sizeof *sim->touched);
    sim->stale = malloc((size_t)ranks * sizeof *sim->stale);
    sct_status status = SCT_OK;
    if (!sim->rank || !sim->turns || !sim->touched || !sim->stale)
        status = sct_fail(SCT_NO_MEMORY, "no memory to simulate %d ranks", ranks);
    if (!status)
        status = sct_network_create(machine, ranks, &sim->network);
    if (!status)
        status = sct_sim_prepare(sim);
    if (status)
        sct_sim_clear(sim);
    return status;
}

/* True if the ranks sum the replicas of C after their last step. */
static bool reduces(const sct_plan *plan) {
    const sct_product *product = &plan->product;
    return plan->options.result != SCT_RESULT_PARTIAL && product->size[SCT_DIM_K] > 0 &&
           product->layout[SCT_MAT_C]->replicas > 1;
}

sct_status sct_sim_add(sct_sim *sim, const sct_plan *plan) {
    sct_sim_rank *rank = &sim->rank[plan->rank];
    *rank = (sct_sim_rank){
        .number = plan->rank,
        .queue = {{-1, -1, 0, sim->machine->gets}, {-1, -1, 0, sim->machine->accumulates}}};
    sct_status status = sct_script_create(plan, sim->machine, &rank->script);
    if (status)
        return status;
    sim->last = reduces(plan) ? SCT_BOUNCE_COPY : SCT_BOUNCE_STEPS;
    const sct_script *script = &rank->script;
    int64_t counts = script->slots[0] + script->slots[1] + script->accumulates + 1;
    if (!(rank->pending = calloc((size_t)counts, sizeof *rank->pending)))
        return sct_fail(SCT_NO_MEMORY, "no memory for rank %d", plan->rank);
    sim->products += script->products;
    sim->events += script->acts + script->transfers + sct_plan_effort(plan);
    sim->rounds = sct_max(sim->rounds, script->slices);
    return SCT_OK;
}
