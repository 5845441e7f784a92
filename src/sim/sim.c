/* sim.c - the course of time: what comes next happens, whom it concerns goes on, and rates are
 * found again. */
#include "sim/sim.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* What comes within such a share of the time is at the same time, but for rounding. */
static const double instant = 1e-12;

/* As many routes that are looked at take as long as an event. */
static const double routes_of_event = 8;

double sct_sim_work(const sct_sim *sim) {
    return (double)sim->events + (double)sim->network.looked / routes_of_event;
}

sct_status sct_sim_check_work(const sct_sim *sim) {
    if (sct_sim_work(sim) <= sim->most_work)
        return SCT_OK;
    return sct_fail(SCT_TOO_LARGE, "to simulate %d ranks is more work than wanted", sim->ranks);
}

/* In the clock the meeting comes after the ranks. */
void sct_sim_meet(sct_sim *sim) {
    double seconds = log2(sim->ranks) * sim->machine->barrier;
    sct_clock_set(&sim->clock, sim->ranks, sim->now + seconds);
}

static void touch_all(sct_sim *sim) {
    for (int i = 0; i < sim->cast.count; i++)
        sct_sim_touch(sim, &sim->runner[sim->cast.first + i]);
}

static void end_meeting(sct_sim *sim) {
    sim->met++;
    sim->came = 0;
    touch_all(sim);
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
    for (int i = 0; i < sim->cast.count; i++)
        if (sim->runner[sim->cast.first + i].stage <= sim->last)
            return sct_fail(SCT_FAILED, "machine %s: rank %d would never come to an end",
                            sim->machine->name, sim->cast.first + i);
    return SCT_OK;
}

sct_status sct_sim_run(sct_sim *sim) {
    touch_all(sim);
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
        if (!sim->status)
            sim->status = sct_sim_check_work(sim);
    }
    return sim->status ? sim->status : check_end(sim);
}
