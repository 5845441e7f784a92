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

static const sct_level *level_of(const sct_sim *sim, const sct_transfer *transfer) {
    return sct_machine_level(sim->machine, transfer->rank, transfer->peer);
}

static bool is_own(const sct_transfer *transfer) {
    return transfer->rank == transfer->peer;
}

/* A rank copies for itself as the level next to it does. */
bool sct_sim_by_hand(const sct_sim *sim, int rank, int peer) {
    if (sim->machine->levels == 0)
        return false;
    const sct_level *level =
        rank == peer ? sim->machine->level : sct_machine_level(sim->machine, rank, peer);
    return level->by_rank;
}

static int64_t thing(const sct_sim *sim, int64_t index) {
    return sim->ranks + 1 + index;
}

/* Makes room for twice the transfers. */
static sct_status grow(sct_sim *sim) {
    int64_t room = 2 * sim->room + 64;
    sct_transfer *transfer = realloc(sim->transfer, (size_t)room * sizeof *transfer);
    if (!transfer)
        return sct_fail(SCT_NO_MEMORY, "no memory for %lld transfers", (long long)room);
    sim->transfer = transfer;
    sct_status status = sct_network_reserve(&sim->network, room);
    if (!status)
        status = sct_agenda_grow(&sim->agenda, thing(sim, room));
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
    return grow(sim);
}

/* The queue of a kind of transfer; NULL: it is not one of those that are limited. */
static sct_queue *queue_of(sct_sim *sim, const sct_transfer *transfer) {
    if (is_own(transfer) || transfer->by_hand)
        return NULL;
    int which = transfer->doing == SCT_ACCUMULATING ? SCT_QUEUE_ACCUMULATES : SCT_QUEUE_GETS;
    return &sim->runner[transfer->rank].queue[which];
}

/* What is accumulated goes from the rank to its peer; all else comes from there. */
static int sender(const sct_transfer *transfer) {
    return transfer->doing == SCT_ACCUMULATING ? transfer->rank : transfer->peer;
}

/* How fast it is as a share of copying. */
static double pace(const sct_sim *sim, const sct_transfer *transfer) {
    bool adds = transfer->doing == SCT_ACCUMULATING || transfer->doing == SCT_REDUCING;
    return adds ? level_of(sim, transfer)->accumulate : 1;
}

/* What the links carry for it, as bytes that are copied; of a rank's own memory, what is read and
 * written. */
static double volume(const sct_sim *sim, const sct_transfer *transfer) {
    const sct_machine *machine = sim->machine;
    double bytes = (double)transfer->bytes;
    if (!is_own(transfer))
        return bytes / pace(sim, transfer);
    if (isinf(machine->memory))
        return 0;
    double (*seconds)(const sct_machine *, int, int, double) =
        transfer->doing == SCT_SCATTERING ? sct_machine_accumulate : sct_machine_copy;
    return seconds(machine, transfer->rank, transfer->rank, bytes) * machine->memory;
}

static void begin_flow(sct_sim *sim, int64_t index) {
    sct_transfer *transfer = &sim->transfer[index];
    sct_runner *runner = &sim->runner[transfer->rank];
    int from = sender(transfer), to = transfer->rank + transfer->peer - from;
    transfer->flows = true;
    sct_status status =
        sct_network_open(&sim->network, index, from, to, volume(sim, transfer), sim->now);
    sim->status = sim->status ? sim->status : status;
    if (transfer->doing == SCT_ACCUMULATING) {
        runner->adding++;
        sct_sim_disturb(sim, runner);
    }
}

static void begin(sct_sim *sim, int64_t index) {
    sct_transfer *transfer = &sim->transfer[index];
    sct_runner *runner = &sim->runner[transfer->rank];
    double latency = is_own(transfer) ? 0 : level_of(sim, transfer)->latency;
    transfer->begin = sim->now;
    sct_sim_note(sim, runner);
    runner->moving += !is_own(transfer);
    if (latency > 0)
        sct_agenda_set(&sim->agenda, thing(sim, index), sim->now + latency);
    else
        begin_flow(sim, index);
}

void sct_sim_move(sct_sim *sim, sct_runner *runner, const sct_load *load, const sct_errand *errand,
                  bool by_hand) {
    if (sim->unused < 0 && !sim->status)
        sim->status = grow(sim);
    if (sim->status)
        return;
    int64_t index = sim->unused;
    sct_transfer *transfer = &sim->transfer[index];
    sim->unused = transfer->next;
    *transfer = (sct_transfer){.doing = errand->doing,
                               .rank = runner->rank,
                               .peer = load->peer,
                               .by_hand = by_hand,
                               .bytes = load->bytes,
                               .step = errand->step,
                               .pending = errand->pending,
                               .next = -1};
    if (is_own(transfer))
        transfer->doing = errand->doing == SCT_ACCUMULATING ? SCT_SCATTERING : SCT_GATHERING;
    runner->pending[transfer->pending]++;
    runner->by_hand |= by_hand;
    sct_queue *queue = queue_of(sim, transfer);
    if (!queue || queue->most == 0 || queue->under_way++ < queue->most) {
        begin(sim, index);
        return;
    }
    if (queue->first < 0)
        queue->first = index;
    else
        sim->transfer[queue->last].next = index;
    queue->last = index;
}

/* Each end spends time of its own on each byte of what flows. */
static void charge(sct_sim *sim, int64_t index, double rate) {
    sct_transfer *transfer = &sim->transfer[index];
    if (is_own(transfer) || isinf(rate))
        return;
    const sct_level *level = &sim->machine->level[sim->network.flow[index].kind];
    if (level->processor <= 0)
        return;
    double more = (rate - transfer->charged) * pace(sim, transfer) * level->processor;
    const int ends[] = {transfer->rank, transfer->peer};
    for (int i = 0; i < 2; i++) {
        sim->runner[ends[i]].burden += more;
        sct_sim_disturb(sim, &sim->runner[ends[i]]);
    }
    transfer->charged = rate;
}

static void begin_next(sct_sim *sim, sct_queue *queue) {
    int64_t index = queue->first;
    queue->under_way--;
    if (index < 0)
        return;
    queue->first = sim->transfer[index].next;
    begin(sim, index);
}

static void end(sct_sim *sim, int64_t index) {
    sct_transfer *transfer = &sim->transfer[index];
    sct_runner *runner = &sim->runner[transfer->rank];
    sct_queue *queue = queue_of(sim, transfer);
    charge(sim, index, 0);
    sct_network_close(&sim->network, index, sender(transfer));
    sct_sim_note(sim, runner);
    runner->moving -= !is_own(transfer);
    runner->pending[transfer->pending]--;
    if (transfer->by_hand)
        runner->by_hand = false;
    if (transfer->doing == SCT_ACCUMULATING) {
        runner->adding--;
        sct_sim_disturb(sim, runner);
    }
    if (!is_own(transfer))
        sim->bytes_moved += transfer->bytes;
    sct_sim_tell(sim, &(sct_deed){.begin = transfer->begin,
                                  .end = sim->now,
                                  .rank = transfer->rank,
                                  .lane = lanes[transfer->doing],
                                  .doing = transfer->doing,
                                  .peer = transfer->peer,
                                  .step = transfer->step,
                                  .bytes = transfer->bytes});
    transfer->next = sim->unused;
    sim->unused = index;
    if (queue && queue->most > 0)
        begin_next(sim, queue);
    sct_sim_touch(sim, runner);
}

void sct_sim_step_transfer(sct_sim *sim, int64_t index) {
    if (sim->transfer[index].flows)
        end(sim, index);
    else
        begin_flow(sim, index);
}

void sct_sim_settle(sct_sim *sim) {
    sct_network_settle(&sim->network, sim->now);
    const sct_flows *changed = &sim->network.changed;
    for (int64_t i = 0; i < changed->count; i++) {
        int64_t index = changed->flow[i];
        charge(sim, index, sim->network.pace[index].rate);
        sct_agenda_set(&sim->agenda, thing(sim, index), sct_network_end(&sim->network, index));
    }
    sct_sim_refresh(sim);
}
