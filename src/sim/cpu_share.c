/* cpu_share.c - charges ranks the processor time that their transfers cost, by route. */
#include "sim/sim.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

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
