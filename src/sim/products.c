/* products.c - a rank's products in virtual time: one after another, slower while others' bytes or
 * its own additions take their share. */
#include "sim/sim.h"

#include <math.h>

void sct_sim_note(const sct_sim *sim, sct_runner *runner) {
    double passed = sim->now - runner->noted;
    bool computes = runner->finished<runner->submitted, moves = runner->moving> 0;
    runner->computing += computes ? passed : 0;
    runner->moved += moves ? passed : 0;
    runner->both += computes && moves ? passed : 0;
    runner->noted = sim->now;
}

void sct_sim_touch(sct_sim *sim, sct_runner *runner) {
    if (!runner->touched)
        sim->touched[sim->touches++] = runner->rank;
    runner->touched = true;
}

void sct_sim_disturb(sct_sim *sim, sct_runner *runner) {
    if (!runner->stale)
        sim->stale[sim->stales++] = runner->rank;
    runner->stale = true;
}

void sct_sim_tell(const sct_sim *sim, const sct_deed *deed) {
    if (sim->observer && sim->observer->deed)
        sim->observer->deed(sim->observer->context, deed);
}

static void begin_product(sct_sim *sim, sct_runner *runner) {
    runner->left = runner->script.stint[runner->finished].seconds;
    runner->begun = runner->since = sim->now;
    sct_sim_disturb(sim, runner);
}

void sct_sim_submit(sct_sim *sim, sct_runner *runner) {
    sct_sim_note(sim, runner);
    if (runner->finished == runner->submitted++)
        begin_product(sim, runner);
}

void sct_sim_finish_product(sct_sim *sim, sct_runner *runner) {
    sct_sim_note(sim, runner);
    sct_sim_tell(sim, &(sct_deed){.begin = runner->begun,
                                  .end = sim->now,
                                  .rank = runner->rank,
                                  .lane = SCT_LANE_COMPUTE,
                                  .doing = SCT_MULTIPLYING,
                                  .peer = -1,
                                  .step = runner->script.stint[runner->finished].step});
    if (++runner->finished < runner->submitted)
        begin_product(sim, runner);
    sct_sim_touch(sim, runner);
    sim->finished++;
    if (sim->observer && sim->observer->progress)
        sim->observer->progress(sim->observer->context, "products simulated", sim->finished,
                                sim->stints);
}

static double speed_of(const sct_sim *sim, const sct_runner *runner) {
    double slowed = runner->adding > 0 ? sim->machine->slowed : 0;
    return fmax(0, (1 - runner->burden) * (1 - slowed));
}

static void refresh(sct_sim *sim, sct_runner *runner) {
    runner->stale = false;
    if (runner->finished == runner->submitted)
        return;
    runner->left = fmax(0, runner->left - runner->speed * (sim->now - runner->since));
    runner->since = sim->now;
    runner->speed = speed_of(sim, runner);
    if (runner->left == 0 || runner->speed > 0)
        sct_clock_set(&sim->clock, runner->rank,
                      sim->now + (runner->left > 0 ? runner->left / runner->speed : 0));
    else
        sct_clock_drop(&sim->clock, runner->rank);
}

void sct_sim_refresh(sct_sim *sim) {
    for (int i = 0; i < sim->stales; i++)
        refresh(sim, &sim->runner[sim->stale[i]]);
    sim->stales = 0;
}
