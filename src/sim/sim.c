/* sim.c - creates a simulation, adds ranks to it by their plans, and runs it: the next event
 * happens, the ranks concerned advance, and rates are recomputed. */
#include "sim/sim.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
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
    free(sim->place);
    free(sim->touched);
    free(sim->stale);
    sct_priority_queue_clear(&sim->queue);
    sct_network_clear(&sim->network);
}

sct_status sct_sim_begin(const sct_machine *machine, int ranks, int first, int count,
                         sct_sim *sim) {
    *sim = (sct_sim){
        .machine = machine, .world = ranks, .ranks = ranks, .first = first, .count = count};
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

sct_status sct_sim_create(const sct_machine *machine, const sct_observer *observer, int ranks,
                          sct_sim *sim) {
    sct_status status = sct_sim_begin(machine, ranks, 0, ranks, sim);
    if (status)
        return status;
    sim->observer = observer;
    sim->place = calloc((size_t)ranks, sizeof *sim->place);
    if (!sim->place) {
        sct_sim_clear(sim);
        return sct_fail(SCT_NO_MEMORY, "no memory to simulate %d ranks", ranks);
    }
    return SCT_OK;
}

/* True if the ranks sum the replicas of C after their last step. */
static bool reduces(const sct_plan *plan) {
    const sct_product *product = &plan->product;
    return plan->options.result != SCT_RESULT_PARTIAL && product->size[SCT_DIM_K] > 0 &&
           product->layout[SCT_MAT_C]->replicas > 1;
}

sct_status sct_sim_give(sct_sim *sim, int number, const sct_plan *plan, const sct_script *script) {
    sct_sim_rank *rank = &sim->rank[number];
    *rank = (sct_sim_rank){
        .number = number,
        .script = *script,
        .queue = {{-1, -1, 0, sim->machine->gets}, {-1, -1, 0, sim->machine->accumulates}}};
    sim->last = reduces(plan) ? SCT_STAGE_COPY : SCT_STAGE_STEPS;
    int64_t counts = script->slots[0] + script->slots[1] + script->accumulates + 1;
    if (!(rank->pending = calloc((size_t)counts, sizeof *rank->pending)))
        return sct_fail(SCT_NO_MEMORY, "no memory for rank %d", plan->rank);
    sim->products += script->products;
    sim->events += script->acts + script->transfers + sct_plan_effort(plan);
    sim->rounds = sct_max(sim->rounds, script->slices);
    return SCT_OK;
}

sct_status sct_sim_add(sct_sim *sim, const sct_plan *plan) {
    sct_script script;
    sct_status status = sct_script_create(plan, sim->machine, sim->place, &script);
    return status ? status : sct_sim_give(sim, plan->rank, plan, &script);
}

/* Events within this relative time are simultaneous; the difference is rounding. */
static const double instant = 1e-12;

/* Visits of routes that take as long as one event. */
static const double routes_of_event = 8;

double sct_sim_work(const sct_sim *sim) {
    return (double)sim->events + (double)sim->network.looked / routes_of_event;
}

sct_status sct_sim_check_work(const sct_sim *sim) {
    if (sct_sim_work(sim) <= sim->most_work)
        return SCT_OK;
    return sct_fail(SCT_TOO_LARGE, "simulating %d ranks is more work than the limit allows",
                    sim->count);
}

/* In the queue, the barrier has the number after those of the ranks. */
void sct_sim_meet(sct_sim *sim) {
    double seconds = log2(sim->world) * sim->machine->barrier;
    sct_priority_queue_set(&sim->queue, sim->ranks, sim->now + seconds);
}

static void touch_all(sct_sim *sim) {
    for (int i = 0; i < sim->count; i++)
        sct_sim_touch(sim, &sim->rank[sim->first + i]);
}

static void end_barrier(sct_sim *sim) {
    sim->met++;
    sim->came = 0;
    touch_all(sim);
}

/* Numbers are those in the event queue: ranks, the barrier, levels, routes. */
static void happen(sct_sim *sim, int64_t thing, double until) {
    int64_t barrier = sim->ranks, level = thing - barrier - 1, levels = sim->machine->levels;
    sct_priority_queue_drop(&sim->queue, thing);
    if (thing < barrier)
        sct_sim_finish_product(sim, &sim->rank[thing]);
    else if (thing == barrier)
        end_barrier(sim);
    else if (level < levels)
        sct_sim_begin_flows(sim, (int)level, until);
    else
        sct_sim_end_flows(sim, level - levels, until);
}

static int by_rank(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

/* Advances the touched ranks in order, whatever touched them first. */
static void advance_touched(sct_sim *sim) {
    qsort(sim->touched, (size_t)sim->touches, sizeof *sim->touched, by_rank);
    int touches = sim->touches;
    sim->touches = 0;
    for (int i = 0; i < touches; i++) {
        sct_sim_rank *rank = &sim->rank[sim->touched[i]];
        rank->touched = false;
        sct_sim_rank_advance(sim, rank);
    }
}

static sct_status check_end(const sct_sim *sim) {
    for (int i = 0; i < sim->count; i++)
        if (sim->rank[sim->first + i].stage <= sim->last)
            return sct_fail(SCT_FAILED, "machine %s: rank %d would never finish",
                            sim->machine->name, sim->first + i);
    return SCT_OK;
}

sct_status sct_sim_run(sct_sim *sim) {
    touch_all(sim);
    while (!sim->status) {
        advance_touched(sim);
        sct_sim_settle(sim);
        sct_keyed next = sct_priority_queue_first(&sim->queue);
        if (isinf(next.key))
            break;
        sim->now = next.key;
        double until = sim->now * (1 + instant);
        for (; next.key <= until; next = sct_priority_queue_first(&sim->queue))
            happen(sim, next.item, until);
        if (!sim->status)
            sim->status = sct_sim_check_work(sim);
    }
    return sim->status ? sim->status : check_end(sim);
}
