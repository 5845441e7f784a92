/* sim.c - the course of time: what comes next happens, whom it concerns goes on, and rates are
 * found again. */
#include "sim/sim.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* What comes within such a share of the time is at the same time, but for rounding. */
static const double instant = 1e-12;

/* In the clock the meeting comes after the ranks. */
void sct_sim_meet(sct_sim *sim) {
    double seconds = log2(sim->ranks) * sim->machine->barrier;
    sct_clock_set(&sim->clock, sim->ranks, sim->now + seconds);
}

static void end_meeting(sct_sim *sim) {
    sim->met++;
    sim->came = 0;
    for (int rank = 0; rank < sim->ranks; rank++)
        sct_sim_touch(sim, &sim->runner[rank]);
}

static void happen(sct_sim *sim, int64_t thing, double until) {
    int64_t meeting = sim->ranks, level = thing - meeting - 1, levels = sim->machine->levels;
    sct_clock_drop(&sim->clock, thing);
    if (thing < meeting)
        sct_sim_finish_product(sim, &sim->runner[thing]);
    else if (thing == meeting)
        end_meeting(sim);
    else if (level < levels)
        sct_sim_begin_flows(sim, (int)level, until);
    else
        sct_sim_end_flows(sim, level - levels, until);
}

static int by_rank(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

/* In the order of ranks, whatever has happened in what order. */
static void advance_touched(sct_sim *sim) {
    qsort(sim->touched, (size_t)sim->touches, sizeof *sim->touched, by_rank);
    int touches = sim->touches;
    sim->touches = 0;
    for (int i = 0; i < touches; i++) {
        sct_runner *runner = &sim->runner[sim->touched[i]];
        runner->touched = false;
        sct_runner_advance(sim, runner);
    }
}

static sct_status check_end(const sct_sim *sim) {
    for (int rank = 0; rank < sim->ranks; rank++)
        if (sim->runner[rank].stage <= sim->last)
            return sct_fail(SCT_FAILED, "machine %s: rank %d would never come to an end",
                            sim->machine->name, rank);
    return SCT_OK;
}

sct_status sct_sim_run(sct_sim *sim) {
    for (int rank = 0; rank < sim->ranks; rank++)
        sct_sim_touch(sim, &sim->runner[rank]);
    while (!sim->status) {
        advance_touched(sim);
        sct_sim_settle(sim);
        sct_due next = sct_clock_first(&sim->clock);
        if (isinf(next.time))
            break;
        sim->now = next.time;
        double until = sim->now * (1 + instant);
        for (; next.time <= until; next = sct_clock_first(&sim->clock))
            happen(sim, next.thing, until);
    }
    return sim->status ? sim->status : check_end(sim);
}
