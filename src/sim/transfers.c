/* transfers.c - what moves between ranks, or within one: it waits its turn, then for the latency,
 * then flows. */
#include "sim/sim.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

static const sct_lane lanes[] = {
    [SCT_MULTIPLYING] = SCT_LANE_COMPUTE,   [SCT_GETTING] = SCT_LANE_GET,
    [SCT_GATHERING] = SCT_LANE_GET,         [SCT_ACCUMULATING] = SCT_LANE_ACCUMULATE,
    [SCT_SCATTERING] = SCT_LANE_ACCUMULATE, [SCT_REDUCING] = SCT_LANE_ACCUMULATE,
    [SCT_SHARING] = SCT_LANE_GET,
};

static const sct_level *level_of(const sct_sim *sim, const sct_parcel *parcel) {
    return sct_machine_level(sim->machine, parcel->rank, parcel->peer);
}

static bool is_own(const sct_parcel *parcel) {
    return parcel->rank == parcel->peer;
}

/* In the clock, behind ranks and the meeting: the levels' latencies, then routes. */
static int64_t thing_of_level(const sct_sim *sim, int64_t level) {
    return sim->ranks + 1 + level;
}

static int64_t thing_of_route(const sct_sim *sim, int64_t route) {
    return thing_of_level(sim, sim->machine->levels) + route;
}

/* Makes room for twice the parcels. */
static sct_status grow(sct_sim *sim) {
    int64_t room = 2 * sim->room + 64;
    sct_parcel *parcel = realloc(sim->parcel, (size_t)room * sizeof *parcel);
    if (!parcel)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld transfers", (long long)room);
    sim->parcel = parcel;
    sct_status status = sct_network_reserve(&sim->network, room);
    if (!status)
        status = sct_clock_grow(&sim->clock, thing_of_route(sim, room));
    if (!status)
        status = sct_fees_grow(sim, room);
    if (status)
        return status;
    for (int64_t i = room - 1; i >= sim->room; i--) {
        parcel[i].next = sim->unused;
        sim->unused = i;
    }
    sim->room = room;
    return SCT_OK;
}

sct_status sct_sim_prepare(sct_sim *sim) {
    sim->unused = -1;
    for (int level = 0; level < sim->machine->levels; level++)
        sim->late[level] = (sct_queue){.first = -1};
    return grow(sim);
}

static void put_behind(sct_sim *sim, sct_queue *queue, int64_t index) {
    sim->parcel[index].next = -1;
    if (queue->first < 0)
        queue->first = index;
    else
        sim->parcel[queue->last].next = index;
    queue->last = index;
}

static int64_t take_first(const sct_sim *sim, sct_queue *queue) {
    int64_t index = queue->first;
    if (index >= 0)
        queue->first = sim->parcel[index].next;
    return index;
}

/* The queue of a kind of parcel; NULL: it is not one of those that are limited. */
static sct_queue *queue_of(sct_sim *sim, const sct_parcel *parcel) {
    if (is_own(parcel) || parcel->by_hand)
        return NULL;
    int which = parcel->doing == SCT_ACCUMULATING ? SCT_QUEUE_ACCUMULATES : SCT_QUEUE_GETS;
    return &sim->runner[parcel->rank].queue[which];
}

/* What is accumulated goes from the rank to its peer; all else comes from there. */
static int sender(const sct_parcel *parcel) {
    return parcel->doing == SCT_ACCUMULATING ? parcel->rank : parcel->peer;
}

/* How fast it is as a share of copying. */
static double pace(const sct_sim *sim, const sct_parcel *parcel) {
    bool adds = parcel->doing == SCT_ACCUMULATING || parcel->doing == SCT_REDUCING;
    return adds ? level_of(sim, parcel)->accumulate : 1;
}

/* What the links carry for it, as bytes that are copied; of a rank's own memory, what is read and
 * written. */
static double volume(const sct_sim *sim, const sct_parcel *parcel) {
    const sct_machine *machine = sim->machine;
    double bytes = (double)parcel->bytes;
    if (!is_own(parcel))
        return bytes / pace(sim, parcel);
    if (isinf(machine->memory))
        return 0;
    double (*seconds)(const sct_machine *, int, int, double) =
        parcel->doing == SCT_SCATTERING ? sct_machine_accumulate : sct_machine_copy;
    return seconds(machine, parcel->rank, parcel->rank, bytes) * machine->memory;
}

static void begin_flow(sct_sim *sim, int64_t index) {
    sct_parcel *parcel = &sim->parcel[index];
    sct_runner *runner = &sim->runner[parcel->rank];
    int from = sender(parcel), to = parcel->rank + parcel->peer - from;
    if (!sim->status)
        sim->status =
            sct_network_open(&sim->network, index, from, to, volume(sim, parcel), sim->now);
    if (!sim->status)
        sim->status = sct_fees_add(sim, index, from, to, pace(sim, parcel));
    if (parcel->doing == SCT_ACCUMULATING) {
        runner->adding++;
        sct_sim_disturb(sim, runner);
    }
}

/* Those of a level have the same latency: who begins first flows first. */
static void expect(sct_sim *sim, int level) {
    int64_t index = sim->late[level].first;
    if (index >= 0)
        sct_clock_set(&sim->clock, thing_of_level(sim, level),
                      sim->parcel[index].begin + sim->machine->level[level].latency);
}

static void begin(sct_sim *sim, int64_t index) {
    sct_parcel *parcel = &sim->parcel[index];
    sct_runner *runner = &sim->runner[parcel->rank];
    parcel->begin = sim->now;
    sct_sim_note(sim, runner);
    runner->moving += !is_own(parcel);
    if (is_own(parcel) || level_of(sim, parcel)->latency <= 0) {
        begin_flow(sim, index);
        return;
    }
    int level = (int)(level_of(sim, parcel) - sim->machine->level);
    put_behind(sim, &sim->late[level], index);
    if (sim->late[level].first == index)
        expect(sim, level);
}

/* Begins it, or puts it behind others if too much is under way. */
static void begin_or_wait(sct_sim *sim, int64_t index) {
    sct_queue *queue = queue_of(sim, &sim->parcel[index]);
    if (!queue || queue->most == 0 || queue->under_way++ < queue->most)
        begin(sim, index);
    else
        put_behind(sim, queue, index);
}

void sct_sim_move(sct_sim *sim, sct_runner *runner, const sct_haul *haul,
                  const sct_purpose *purpose, bool by_hand) {
    if (sim->unused < 0 && !sim->status)
        sim->status = grow(sim);
    if (sim->status)
        return;
    int64_t index = sim->unused;
    sct_parcel *parcel = &sim->parcel[index];
    sim->unused = parcel->next;
    *parcel = (sct_parcel){.doing = purpose->doing,
                           .rank = runner->rank,
                           .peer = haul->peer,
                           .by_hand = by_hand,
                           .bytes = haul->bytes,
                           .step = purpose->step,
                           .pending = purpose->pending};
    if (is_own(parcel))
        parcel->doing = purpose->doing == SCT_ACCUMULATING ? SCT_SCATTERING : SCT_GATHERING;
    runner->pending[parcel->pending]++;
    runner->by_hand |= by_hand;
    begin_or_wait(sim, index);
}

static void begin_next(sct_sim *sim, sct_queue *queue) {
    int64_t index = take_first(sim, queue);
    queue->under_way--;
    if (index >= 0)
        begin(sim, index);
}

/* What its end changes for the rank that has started it. */
static void release(sct_sim *sim, const sct_parcel *parcel) {
    sct_runner *runner = &sim->runner[parcel->rank];
    sct_sim_note(sim, runner);
    runner->moving -= !is_own(parcel);
    runner->pending[parcel->pending]--;
    if (parcel->by_hand)
        runner->by_hand = false;
    if (parcel->doing == SCT_ACCUMULATING) {
        runner->adding--;
        sct_sim_disturb(sim, runner);
    }
    sct_sim_touch(sim, runner);
}

static void end(sct_sim *sim, int64_t index) {
    sct_parcel *parcel = &sim->parcel[index];
    sct_queue *queue = queue_of(sim, parcel);
    int from = sender(parcel), to = parcel->rank + parcel->peer - from;
    sct_fees_add(sim, index, from, to, -pace(sim, parcel));
    sct_network_close(&sim->network, sim->network.flow[index].route);
    release(sim, parcel);
    sim->bytes_moved += is_own(parcel) ? 0 : parcel->bytes;
    sct_sim_tell(sim, &(sct_deed){.begin = parcel->begin,
                                  .end = sim->now,
                                  .rank = parcel->rank,
                                  .lane = lanes[parcel->doing],
                                  .doing = parcel->doing,
                                  .peer = parcel->peer,
                                  .step = parcel->step,
                                  .bytes = parcel->bytes});
    parcel->next = sim->unused;
    sim->unused = index;
    if (queue && queue->most > 0)
        begin_next(sim, queue);
}

void sct_sim_begin_flows(sct_sim *sim, int level, double until) {
    sct_queue *late = &sim->late[level];
    double latency = sim->machine->level[level].latency;
    while (late->first >= 0 && sim->parcel[late->first].begin + latency <= until)
        begin_flow(sim, take_first(sim, late));
    expect(sim, level);
}

void sct_sim_end_flows(sct_sim *sim, int64_t route, double until) {
    while (sct_network_end(&sim->network, route) <= until)
        end(sim, sim->network.route[route].first);
}

void sct_sim_settle(sct_sim *sim) {
    if (sim->status)
        return;
    sct_network_settle(&sim->network, sim->now);
    const sct_routes *changed = &sim->network.changed;
    for (int64_t i = 0; i < changed->count; i++) {
        int64_t route = changed->route[i];
        sct_fees_charge(sim, route);
        sct_clock_set(&sim->clock, thing_of_route(sim, route),
                      sct_network_end(&sim->network, route));
    }
    sct_sim_refresh(sim);
}
