/* products.c - the products of a rank in virtual time: one after another, slowed down by transfers
 * and accumulates. */
#include "sim/sim.h"

#include <math.h>

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
