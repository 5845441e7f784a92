/* cpu_share.c - the time that ranks spend on what flows to and from them. */
#include "sim/sim.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void sct_fees_clear(sct_sim *sim) {
    for (int64_t i = 0; sim->fee && i < sim->room; i++)
        free(sim->fee[i].pace);
    free(sim->fee);
}

sct_status sct_fees_grow(sct_sim *sim, int64_t room) {
    sct_fee *fee = realloc(sim->fee, (size_t)room * sizeof *fee);
    if (!fee)
        return sct_fail(SCT_NO_MEMORY, "no memory for what %lld routes cost", (long long)room);
    sim->fee = fee;
    for (int64_t i = sim->room; i < room; i++)
        fee[i] = (sct_fee){.rate = 0};
    return SCT_OK;
}

/* Seconds of each end's time for a byte. */
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
    sim->runner[rank].burden += more;
    sct_sim_disturb(sim, &sim->runner[rank]);
}

/* A route that had no flows. */
static sct_status begin_fee(sct_fee *fee, int64_t grain) {
    size_t bytes = 2 * (size_t)grain * sizeof *fee->pace;
    if (fee->grain < grain) {
        double *pace = realloc(fee->pace, bytes);
        if (!pace)
            return sct_fail(SCT_NO_MEMORY, "no memory for what a route costs");
        *fee = (sct_fee){.pace = pace, .grain = grain};
    }
    memset(fee->pace, 0, bytes);
    fee->rate = 0;
    return SCT_OK;
}

sct_status sct_fees_add(sct_sim *sim, int64_t flow, int from, int to, double pace) {
    int64_t index = sim->network.flow[flow].route;
    const sct_route *route = &sim->network.route[index];
    sct_fee *fee = &sim->fee[index];
    double processor = processor_of(sim, route);
    if (processor <= 0)
        return SCT_OK;
    int64_t grain = grain_of(sim, route);
    sct_status status = route->flows == 1 && pace > 0 ? begin_fee(fee, grain) : SCT_OK;
    if (status)
        return status;
    fee->pace[from - route->from] += pace;
    fee->pace[grain + to - route->to] += pace;
    burden(sim, from, pace * fee->rate * processor);
    burden(sim, to, pace * fee->rate * processor);
    return SCT_OK;
}

void sct_fees_charge(sct_sim *sim, int64_t index) {
    const sct_route *route = &sim->network.route[index];
    sct_fee *fee = &sim->fee[index];
    double rate = sim->network.course[index].rate, processor = processor_of(sim, route);
    if (processor <= 0)
        return;
    double more = (rate - fee->rate) * processor;
    int64_t grain = grain_of(sim, route);
    for (int64_t i = 0; i < grain; i++) {
        burden(sim, route->from + i, more * fee->pace[i]);
        burden(sim, route->to + i, more * fee->pace[grain + i]);
    }
    fee->rate = rate;
}
