/* products.c - the processor of a rank in virtual time: products, one after another, slowed down
 * by transfers and accumulates; and the processor time that transfers cost, charged by route. */
#include "base/status.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sct_sim_note(const sct_sim *sim, sct_sim_rank *rank) {
    double passed = sim->now - rank->noted;
    bool computes = rank->finished<rank->submitted, moves = rank->moving> 0;
    rank->computing += computes ? passed : 0;
    rank->moved += moves ? passed : 0;
    rank->both += computes && moves ? passed : 0;
    rank->noted = sim->now;
}

void sct_sim_touch(sct_sim *sim, sct_sim_rank *rank) {
    if (!rank->touched)
        sim->touched[sim->touches++] = rank->number;
    rank->touched = true;
}

void sct_sim_disturb(sct_sim *sim, sct_sim_rank *rank) {
    if (!rank->stale)
        sim->stale[sim->stales++] = rank->number;
    rank->stale = true;
}

void sct_sim_report(const sct_sim *sim, const sct_trace_event *event) {
    if (sim->observer && sim->observer->event)
        sim->observer->event(sim->observer->context, event);
}

static void begin_product(sct_sim *sim, sct_sim_rank *rank) {
    rank->left = rank->script.product[rank->finished].seconds;
    rank->begun = rank->since = sim->now;
    sct_sim_disturb(sim, rank);
}

void sct_sim_submit(sct_sim *sim, sct_sim_rank *rank) {
    sct_sim_note(sim, rank);
    if (rank->finished == rank->submitted++)
        begin_product(sim, rank);
}

void sct_sim_finish_product(sct_sim *sim, sct_sim_rank *rank) {
    sct_sim_note(sim, rank);
    sct_sim_report(sim, &(sct_trace_event){.begin = rank->begun,
                                           .end = sim->now,
                                           .rank = rank->number,
                                           .lane = SCT_LANE_COMPUTE,
                                           .kind = SCT_MULTIPLYING,
                                           .peer = -1,
                                           .step = rank->script.product[rank->finished].step});
    if (++rank->finished < rank->submitted)
        begin_product(sim, rank);
    sct_sim_touch(sim, rank);
    sim->finished++;
    if (sim->observer && sim->observer->progress)
        sim->observer->progress(sim->observer->context, "products simulated", sim->finished,
                                sim->products);
}

static double speed_of(const sct_sim *sim, const sct_sim_rank *rank) {
    double slowed = rank->adding > 0 ? sim->machine->slowed : 0;
    return fmax(0, (1 - rank->burden) * (1 - slowed));
}

static void refresh(sct_sim *sim, sct_sim_rank *rank) {
    rank->stale = false;
    if (rank->finished == rank->submitted)
        return;
    rank->left = fmax(0, rank->left - rank->speed * (sim->now - rank->since));
    rank->since = sim->now;
    rank->speed = speed_of(sim, rank);
    if (rank->left == 0 || rank->speed > 0)
        sct_priority_queue_set(&sim->queue, rank->number,
                               sim->now + (rank->left > 0 ? rank->left / rank->speed : 0));
    else
        sct_priority_queue_drop(&sim->queue, rank->number);
}

void sct_sim_refresh(sct_sim *sim) {
    for (int i = 0; i < sim->stales; i++)
        refresh(sim, &sim->rank[sim->stale[i]]);
    sim->stales = 0;
}

/* ---- Processor time of transfers ---- */

void sct_cpu_shares_clear(sct_sim *sim) {
    for (int64_t i = 0; sim->cpu_share && i < sim->room; i++)
        free(sim->cpu_share[i].pace);
    free(sim->cpu_share);
}

sct_status sct_cpu_shares_grow(sct_sim *sim, int64_t room) {
    sct_cpu_share *share = realloc(sim->cpu_share, (size_t)room * sizeof *share);
    if (!share)
        return sct_fail(SCT_NO_MEMORY, "no memory for what %lld routes cost", (long long)room);
    sim->cpu_share = share;
    for (int64_t i = sim->room; i < room; i++)
        share[i] = (sct_cpu_share){.rate = 0};
    return SCT_OK;
}

/* Seconds of processor time per byte at each end. */
static double processor_of(const sct_sim *sim, const sct_route *route) {
    const sct_machine *machine = sim->machine;
    return route->kind < machine->levels ? machine->level[route->kind].processor : 0;
}

static int64_t grain_of(const sct_sim *sim, const sct_route *route) {
    return sim->network.grain[route->kind];
}

static void burden(sct_sim *sim, int64_t rank, double more) {
    if (more == 0)
        return;
    sim->rank[rank].burden += more;
    sct_sim_disturb(sim, &sim->rank[rank]);
}

/* Starts charging a route that had no flows. */
static sct_status begin_charge(sct_cpu_share *share, int64_t grain) {
    size_t bytes = 2 * (size_t)grain * sizeof *share->pace;
    if (share->grain < grain) {
        double *pace = realloc(share->pace, bytes);
        if (!pace)
            return sct_no_memory("what a route costs");
        *share = (sct_cpu_share){.pace = pace, .grain = grain};
    }
    memset(share->pace, 0, bytes);
    share->rate = 0;
    return SCT_OK;
}

sct_status sct_cpu_shares_add(sct_sim *sim, int64_t flow, int from, int to, double pace) {
    int64_t index = sim->network.flow[flow].route;
    const sct_route *route = &sim->network.route[index];
    sct_cpu_share *share = &sim->cpu_share[index];
    double processor = processor_of(sim, route);
    if (processor <= 0)
        return SCT_OK;
    int64_t grain = grain_of(sim, route);
    sct_status status = route->flows == 1 && pace > 0 ? begin_charge(share, grain) : SCT_OK;
    if (status)
        return status;
    share->pace[from - route->from] += pace;
    share->pace[grain + to - route->to] += pace;
    burden(sim, from, pace * share->rate * processor);
    burden(sim, to, pace * share->rate * processor);
    return SCT_OK;
}

void sct_cpu_shares_charge(sct_sim *sim, int64_t index) {
    const sct_route *route = &sim->network.route[index];
    sct_cpu_share *share = &sim->cpu_share[index];
    double rate = sim->network.course[index].rate, processor = processor_of(sim, route);
    if (processor <= 0)
        return;
    double more = (rate - share->rate) * processor;
    int64_t grain = grain_of(sim, route);
    for (int64_t i = 0; i < grain; i++) {
        burden(sim, route->from + i, more * share->pace[i]);
        burden(sim, route->to + i, more * share->pace[grain + i]);
    }
    share->rate = rate;
}
