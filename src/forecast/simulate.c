/* simulate.c - sct_simulate: plans each rank, runs them all in virtual time, and reports; and the
 * same for one rank alone. */
#include "forecast/simulate.h"
#include "planner/planner.h"
#include "sim/sim.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* What is simulated, with defaults filled in. */
typedef struct sct_sim_problem {
    sct_problem problem;
    sct_options options;
} sct_sim_problem;

/* Plans the ranks, and records their scripts. */
static sct_status make_ranks(sct_sim *sim, const sct_sim_problem *asked, sct_cost *cost) {
    const sct_observer *observer = sim->observer;
    sct_status status = SCT_OK;
    for (int i = 0; i < sim->count && !status; i++) {
        sct_plan *plan;
        if ((status = sct_plan_create(&asked->problem, i, &asked->options, &plan)))
            break;
        status = sct_sim_add(sim, plan);
        if (!status)
            status = sct_sim_check_work(sim);
        sct_cost_add(&plan->cost, cost);
        sct_plan_destroy(plan);
        if (observer && observer->progress)
            observer->progress(observer->context, "ranks planned", i + 1, sim->count);
    }
    return status;
}

static sct_use use_of(const sct_sim_rank *rank, double seconds) {
    double smaller = fmin(rank->computing, rank->moved);
    return (sct_use){.computing = seconds > 0 ? rank->computing / seconds : 0,
                     .moving = seconds > 0 ? rank->moved / seconds : 0,
                     .overlap = smaller > 0 ? rank->both / smaller : 0};
}

/* Makes the forecast from what the ranks have done. */
static void report(const sct_sim *sim, const sct_sim_problem *asked, sct_forecast *forecast) {
    sct_sim_rank all = {.number = 0};
    double smaller = 0, done = 0;
    for (int i = 0; i < sim->ranks; i++) {
        const sct_sim_rank *rank = &sim->rank[i];
        all.computing += rank->computing;
        all.moved += rank->moved;
        all.both += rank->both;
        smaller += fmin(rank->computing, rank->moved);
        if (rank->done > sim->rank[forecast->critical_rank].done)
            forecast->critical_rank = i;
    }
    done = sim->rank[forecast->critical_rank].done;
    forecast->seconds = sim->now;
    forecast->reducing = sim->last == SCT_STAGE_STEPS ? 0 : sim->now - done;
    forecast->mean = use_of(&all, sim->ranks * sim->now);
    forecast->mean.overlap = smaller > 0 ? all.both / smaller : 0;
    forecast->critical = use_of(&sim->rank[forecast->critical_rank], sim->now);
    double most = sim->machine->peak[asked->problem.type] * sim->ranks * sim->now;
    forecast->share_of_peak = most > 0 ? forecast->cost.flops / most : 0;
    forecast->stay = asked->options.stay;
    forecast->bytes_moved = sim->bytes_moved;
}

/* Checks the arguments, and fills in defaults. */
static sct_status resolve(const sct_problem *problem, const sct_options *options,
                          const sct_machine *machine, const sct_observer *observer,
                          sct_sim_problem *asked) {
    sct_status status = sct_check_given("machine", machine);
    if (!status && observer)
        status = sct_check_size("observer", observer->size, sizeof *observer, sizeof *observer);
    if (!status)
        status = sct_problem_resolve(problem, &asked->problem);
    if (!status)
        status = sct_options_resolve(options, &asked->options);
    if (status)
        return status;
    if (asked->problem.ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not at least 1", asked->problem.ranks);
    if (machine->levels == 0 && asked->problem.ranks > 1)
        return sct_fail(SCT_BAD_ARGUMENT, "machine %s has no links between its ranks",
                        machine->name);
    if (asked->problem.ranks_per_node == 0)
        asked->problem.ranks_per_node = sct_machine_ranks_per_node(machine);
    if (!asked->options.machine)
        asked->options.machine = machine;
    return SCT_OK;
}

/* Decides who stores and who works, before ranks are planned. Destroy `work` then. */
static sct_status decide(sct_sim_problem *asked, const sct_machine *machine, sct_layout **work) {
    *work = NULL;
    sct_status status =
        sct_plan_decide(&asked->problem, &asked->options, &asked->options.stay, work);
    asked->options.work = *work;
    if (!status && machine->peak[asked->problem.type] <= 0)
        status = sct_fail(SCT_BAD_ARGUMENT, "machine %s: its peak for %s is not known",
                          machine->name, sct_type_name(asked->problem.type));
    return status;
}

/* Simulates all ranks. work: in: the limit; out: what was done. */
static sct_status simulate(sct_sim_problem *asked, const sct_machine *machine,
                           const sct_observer *observer, sct_forecast *forecast, double *work) {
    sct_sim sim;
    sct_forecast made = {.seconds = 0};
    sct_status status = sct_sim_create(machine, observer, asked->problem.ranks, &sim);
    if (status)
        return status;
    sim.most_work = *work;
    sct_layout *dealt;
    status = decide(asked, machine, &dealt);
    if (!status)
        status = make_ranks(&sim, asked, &made.cost);
    sct_layout_destroy(dealt);
    if (!status)
        status = sct_sim_run(&sim);
    if (!status) {
        report(&sim, asked, &made);
        *forecast = made;
        *work = sct_sim_work(&sim);
    }
    sct_sim_clear(&sim);
    return status;
}

sct_status sct_simulate_all(const sct_problem *problem, const sct_options *options,
                            const sct_machine *machine, double most_work, sct_sim_result *trial) {
    sct_sim_problem asked;
    sct_forecast forecast;
    double work = most_work;
    sct_status status = resolve(problem, options, machine, NULL, &asked);
    if (!status)
        status = simulate(&asked, machine, NULL, &forecast, &work);
    if (!status)
        *trial = (sct_sim_result){forecast.seconds, work};
    return status;
}

/* The machine as one rank sees it: an equal share of shared links; transfers of other ranks with it
 * cost it as much time as its own. */
static struct sct_machine share_of(const sct_machine *machine, int ranks) {
    struct sct_machine share = *machine;
    for (int i = 0; i < share.levels; i++) {
        sct_level *level = &share.level[i];
        level->uplink /= i > 0 ? (double)sct_level_group(machine, i - 1, ranks) : 1;
        level->total /= (double)sct_level_group(machine, i, ranks);
        level->processor *= 2;
    }
    return share;
}

sct_status sct_simulate_single(const sct_problem *problem, const sct_options *options,
                               const sct_machine *machine, int rank, sct_sim_result *trial) {
    struct sct_machine share = share_of(machine, problem->ranks);
    sct_sim_problem asked;
    sct_sim sim;
    sct_layout *work;
    sct_plan *plan = NULL;
    sct_status status = resolve(problem, options, machine, NULL, &asked);
    if (status)
        return status;
    status = decide(&asked, machine, &work);
    if (!status)
        status = sct_plan_create(&asked.problem, rank, &asked.options, &plan);
    sct_layout_destroy(work);
    if (!status)
        status = sct_sim_create_alone(&share, plan, &sim);
    sct_plan_destroy(plan);
    if (status)
        return status;
    sim.most_work = INFINITY;
    status = sct_sim_run(&sim);
    if (!status)
        *trial = (sct_sim_result){sim.now, sct_sim_work(&sim)};
    sct_sim_clear(&sim);
    return status;
}

sct_status sct_simulate(const sct_problem *problem, const sct_options *options,
                        const sct_machine *machine, const sct_observer *observer,
                        sct_forecast *forecast) {
    sct_sim_problem asked;
    double work = INFINITY;
    sct_status status = sct_check_output("forecast", forecast);
    if (!status)
        status = resolve(problem, options, machine, observer, &asked);
    if (status)
        return status;
    if (machine->ranks != 0 && machine->ranks != asked.problem.ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "machine %s has %lld ranks, but the problem has %d",
                        machine->name, (long long)machine->ranks, asked.problem.ranks);
    return simulate(&asked, machine, observer, forecast, &work);
}
