/* transfers.c - transfers between ranks, or within one: each waits for its turn and for the
 * latency, then flows. */
#include "sim/sim.h"

#include "base/status.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const sct_lane lanes[] = {
    [SCT_MULTIPLYING] = SCT_LANE_COMPUTE,   [SCT_GETTING] = SCT_LANE_GET,
    [SCT_GATHERING] = SCT_LANE_GET,         [SCT_ACCUMULATING] = SCT_LANE_ACCUMULATE,
    [SCT_SCATTERING] = SCT_LANE_ACCUMULATE, [SCT_REDUCING] = SCT_LANE_ACCUMULATE,
    [SCT_SHARING] = SCT_LANE_GET,
};

static const sct_level *level_of(const sct_sim *sim, const sct_sim_transfer *transfer) {
    return sct_machine_level(sim->machine, transfer->rank, transfer->peer);
}

static bool is_own(const sct_sim_transfer *transfer) {
    return transfer->rank == transfer->peer;
}

/* Numbers in the event queue: after ranks and the barrier, the levels' latencies, then routes. */
static int64_t thing_of_level(const sct_sim *sim, int64_t level) {
    return sim->ranks + 1 + level;
}

static int64_t thing_of_route(const sct_sim *sim, int64_t route) {
    return thing_of_level(sim, sim->machine->levels) + route;
}

/* Doubles the room for transfers. */
static sct_status grow(sct_sim *sim) {
    int64_t room = 2 * sim->room + 64;
    sct_sim_transfer *transfer = realloc(sim->transfer, (size_t)room * sizeof *transfer);
    if (!transfer)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld transfers", (long long)room);
    sim->transfer = transfer;
    sct_status status = sct_network_reserve(&sim->network, room);
    if (!status)
        status = sct_priority_queue_grow(&sim->queue, thing_of_route(sim, room));
    if (!status)
        status = sct_cpu_shares_grow(sim, room);
    if (status)
        return status;
    for (int64_t i = room - 1; i >= sim->room; i--) {
        transfer[i].next = sim->unused;
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
    sim->transfer[index].next = -1;
    if (queue->first < 0)
        queue->first = index;
    else
        sim->transfer[queue->last].next = index;
    queue->last = index;
}

static int64_t take_first(const sct_sim *sim, sct_queue *queue) {
    int64_t index = queue->first;
    if (index >= 0)
        queue->first = sim->transfer[index].next;
    return index;
}

/* The queue for this kind of transfer; NULL: unlimited. */
static sct_queue *queue_of(sct_sim *sim, const sct_sim_transfer *transfer) {
    if (is_own(transfer) || transfer->by_hand)
        return NULL;
    int which = transfer->kind == SCT_ACCUMULATING ? SCT_QUEUE_ACCUMULATES : SCT_QUEUE_GETS;
    return &sim->rank[transfer->rank].queue[which];
}

/* The sending rank: an accumulate goes to the peer, everything else comes from it. */
static int sender(const sct_sim_transfer *transfer) {
    return transfer->kind == SCT_ACCUMULATING ? transfer->rank : transfer->peer;
}

/* Its speed relative to copying. */
static double pace(const sct_sim *sim, const sct_sim_transfer *transfer) {
    bool adds = transfer->kind == SCT_ACCUMULATING || transfer->kind == SCT_REDUCING;
    return adds ? level_of(sim, transfer)->accumulate : 1;
}

/* The bytes that links carry for it; within a rank's memory, bytes read and written. */
static double volume(const sct_sim *sim, const sct_sim_transfer *transfer) {
    const sct_machine *machine = sim->machine;
    double bytes = (double)transfer->bytes;
    if (!is_own(transfer))
        return bytes / pace(sim, transfer);
    if (isinf(machine->memory))
        return 0;
    double (*seconds)(const sct_machine *, int, int, double) =
        transfer->kind == SCT_SCATTERING ? sct_machine_accumulate : sct_machine_copy;
    return seconds(machine, transfer->rank, transfer->rank, bytes) * machine->memory;
}

static void begin_flow(sct_sim *sim, int64_t index) {
    sct_sim_transfer *transfer = &sim->transfer[index];
    sct_sim_rank *rank = &sim->rank[transfer->rank];
    int from = sender(transfer), to = transfer->rank + transfer->peer - from;
    if (!sim->status)
        sim->status =
            sct_network_open(&sim->network, index, from, to, volume(sim, transfer), sim->now);
    if (!sim->status)
        sim->status = sct_cpu_shares_add(sim, index, from, to, pace(sim, transfer));
    if (transfer->kind == SCT_ACCUMULATING) {
        rank->adding++;
        sct_sim_disturb(sim, rank);
    }
}

/* Schedules the end of the next latency: transfers of a level have the same latency, so they flow
 * in the order of their start. */
static void expect(sct_sim *sim, int level) {
    int64_t index = sim->late[level].first;
    if (index >= 0)
        sct_priority_queue_set(&sim->queue, thing_of_level(sim, level),
                               sim->transfer[index].begin + sim->machine->level[level].latency);
}

static void begin(sct_sim *sim, int64_t index) {
    assert(sim->rank);
    sct_sim_transfer *transfer = &sim->transfer[index];
    sct_sim_rank *rank = &sim->rank[transfer->rank];
    transfer->begin = sim->now;
    sct_sim_note(sim, rank);
    rank->moving += !is_own(transfer);
    if (is_own(transfer) || level_of(sim, transfer)->latency <= 0) {
        begin_flow(sim, index);
        return;
    }
    int level = (int)(level_of(sim, transfer) - sim->machine->level);
    put_behind(sim, &sim->late[level], index);
    if (sim->late[level].first == index)
        expect(sim, level);
}

/* Starts a transfer, or queues it if too many are in flight. */
static void begin_or_wait(sct_sim *sim, int64_t index) {
    sct_queue *queue = queue_of(sim, &sim->transfer[index]);
    if (!queue || queue->most == 0 || queue->unfinished++ < queue->most)
        begin(sim, index);
    else
        put_behind(sim, queue, index);
}

void sct_sim_move(sct_sim *sim, sct_sim_rank *rank, const sct_script_transfer *asked,
                  const sct_purpose *purpose, bool by_hand) {
    if (sim->unused < 0 && !sim->status)
        sim->status = grow(sim);
    if (sim->status)
        return;
    int64_t index = sim->unused;
    sct_sim_transfer *transfer = &sim->transfer[index];
    sim->unused = transfer->next;
    *transfer = (sct_sim_transfer){.kind = purpose->kind,
                                   .rank = rank->number,
                                   .peer = asked->peer,
                                   .by_hand = by_hand,
                                   .bytes = asked->bytes,
                                   .step = purpose->step,
                                   .pending = purpose->pending};
    if (is_own(transfer))
        transfer->kind = purpose->kind == SCT_ACCUMULATING ? SCT_SCATTERING : SCT_GATHERING;
    rank->pending[transfer->pending]++;
    rank->by_hand |= by_hand;
    begin_or_wait(sim, index);
}

static void begin_next(sct_sim *sim, sct_queue *queue) {
    int64_t index = take_first(sim, queue);
    queue->unfinished--;
    if (index >= 0)
        begin(sim, index);
}

/* Updates the rank that started it. */
static void release(sct_sim *sim, const sct_sim_transfer *transfer) {
    sct_sim_rank *rank = &sim->rank[transfer->rank];
    sct_sim_note(sim, rank);
    rank->moving -= !is_own(transfer);
    rank->pending[transfer->pending]--;
    if (transfer->by_hand)
        rank->by_hand = false;
    if (transfer->kind == SCT_ACCUMULATING) {
        rank->adding--;
        sct_sim_disturb(sim, rank);
    }
    sct_sim_touch(sim, rank);
}

static void end(sct_sim *sim, int64_t index) {
    sct_sim_transfer *transfer = &sim->transfer[index];
    sct_queue *queue = queue_of(sim, transfer);
    int from = sender(transfer), to = transfer->rank + transfer->peer - from;
    sct_cpu_shares_add(sim, index, from, to, -pace(sim, transfer));
    sct_network_close(&sim->network, sim->network.flow[index].route);
    release(sim, transfer);
    sim->bytes_moved += is_own(transfer) ? 0 : transfer->bytes;
    sct_sim_report(sim, &(sct_trace_event){.begin = transfer->begin,
                                           .end = sim->now,
                                           .rank = transfer->rank,
                                           .lane = lanes[transfer->kind],
                                           .kind = transfer->kind,
                                           .peer = transfer->peer,
                                           .step = transfer->step,
                                           .bytes = transfer->bytes});
    transfer->next = sim->unused;
    sim->unused = index;
    if (queue && queue->most > 0)
        begin_next(sim, queue);
}

void sct_sim_begin_flows(sct_sim *sim, int level, double until) {
    sct_queue *late = &sim->late[level];
    double latency = sim->machine->level[level].latency;
    while (late->first >= 0 && sim->transfer[late->first].begin + latency <= until)
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
    const sct_sim_routes *changed = &sim->network.changed;
    for (int64_t i = 0; i < changed->count; i++) {
        int64_t route = changed->route[i];
        sct_cpu_shares_charge(sim, route);
        sct_priority_queue_set(&sim->queue, thing_of_route(sim, route),
                               sct_network_end(&sim->network, route));
    }
    sct_sim_refresh(sim);
}
