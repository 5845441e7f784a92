/* simulate.c - makes the plans of all ranks, or of one alone, lets time pass, and says how it was
 * spent. */
#include "planner/planner.h"
#include "sim/sim.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

/* What all ranks together are asked to do. */
typedef struct sct_scene {
    sct_problem problem;
    sct_options options;
    sct_type type; /* of what is multiplied */
} sct_scene;

static void clear_runner(sct_runner *runner) {
    sct_script_clear(&runner->script);
    free(runner->pending);
}

static void clear(sct_sim *sim) {
    for (int rank = 0; sim->runner && rank < sim->ranks; rank++)
        clear_runner(&sim->runner[rank]);
    free(sim->runner);
    free(sim->parcel);
    sct_fees_clear(sim);
    free(sim->touched);
    free(sim->stale);
    sct_clock_clear(&sim->clock);
    sct_network_clear(&sim->network);
}

static sct_status create(const sct_machine *machine, const sct_observer *observer, int ranks,
                         sct_cast cast, sct_sim *sim) {
    *sim = (sct_sim){.machine = machine, .observer = observer, .ranks = ranks, .cast = cast};
    sim->runner = calloc((size_t)ranks, sizeof *sim->runner);
    sim->touched = malloc((size_t)ranks * sizeof *sim->touched);
    sim->stale = malloc((size_t)ranks * sizeof *sim->stale);
    sct_status status = SCT_OK;
    if (!sim->runner || !sim->touched || !sim->stale)
        status = sct_fail(SCT_NO_MEMORY, "no memory to simulate %d ranks", ranks);
    if (!status)
        status = sct_network_create(machine, ranks, &sim->network);
    if (!status)
        status = sct_sim_prepare(sim);
    if (status)
        clear(sim);
    return status;
}

static sct_status make_runner(sct_sim *sim, const sct_plan *plan) {
    sct_runner *runner = &sim->runner[plan->rank];
    *runner = (sct_runner){
        .rank = plan->rank,
        .queue = {{-1, -1, 0, sim->machine->gets}, {-1, -1, 0, sim->machine->accumulates}}};
    sct_status status = sct_script_create(plan, sim->machine, &runner->script);
    if (status)
        return status;
    const sct_script *script = &runner->script;
    int64_t counts = script->slots[0] + script->slots[1] + script->accumulates + 1;
    if (!(runner->pending = calloc((size_t)counts, sizeof *runner->pending)))
        return sct_fail(SCT_NO_MEMORY, "no memory for rank %d", plan->rank);
    sim->stints += script->stints;
    sim->events += script->acts + script->hauls + sct_plan_effort(plan);
    sim->rounds = sct_max(sim->rounds, script->slices);
    return SCT_OK;
}

/* What the first plan shows of the problem: all ranks let the same matrix stay. */
static sct_status look_at(const sct_plan *plan, sct_sim *sim, sct_scene *scene) {
    const sct_product *product = &plan->product;
    scene->options.stay = sct_plan_stay(plan);
    scene->type = product->type[SCT_MAT_A];
    bool reduces = plan->options.result != SCT_RESULT_PARTIAL && product->size[SCT_DIM_K] > 0 &&
                   product->layout[SCT_MAT_C]->replicas > 1;
    sim->last = reduces ? SCT_STAGE_COPY : SCT_STAGE_STEPS;
    if (sim->machine->peak[scene->type] > 0)
        return SCT_OK;
    return sct_fail(SCT_BAD_ARGUMENT, "machine %s: its peak for %s is not known",
                    sim->machine->name, sct_type_name(scene->type));
}

static sct_status make_runners(sct_sim *sim, sct_scene *scene, sct_cost *cost) {
    const sct_observer *observer = sim->observer;
    sct_status status = SCT_OK;
    for (int i = 0; i < sim->cast.count && !status; i++) {
        sct_plan *plan;
        int rank = sim->cast.first + i;
        if ((status = sct_plan_create(&scene->problem, rank, &scene->options, &plan)))
            break;
        if (i == 0)
            status = look_at(plan, sim, scene);
        if (!status)
            status = make_runner(sim, plan);
        if (!status)
            status = sct_sim_check_work(sim);
        sct_cost_add(&plan->cost, cost);
        sct_plan_destroy(plan);
        if (observer && observer->progress)
            observer->progress(observer->context, "ranks planned", i + 1, sim->cast.count);
    }
    return status;
}

static sct_use use_of(const sct_runner *runner, double seconds) {
    double smaller = fmin(runner->computing, runner->moved);
    return (sct_use){.computing = seconds > 0 ? runner->computing / seconds : 0,
                     .moving = seconds > 0 ? runner->moved / seconds : 0,
                     .overlap = smaller > 0 ? runner->both / smaller : 0};
}

/* All ranks as if they were one that did everything one after another. */
static void sum_up(const sct_sim *sim, const sct_scene *scene, sct_forecast *forecast) {
    sct_runner all = {.rank = 0};
    double smaller = 0, done = 0;
    for (int rank = 0; rank < sim->ranks; rank++) {
        const sct_runner *runner = &sim->runner[rank];
        all.computing += runner->computing;
        all.moved += runner->moved;
        all.both += runner->both;
        smaller += fmin(runner->computing, runner->moved);
        if (runner->done > sim->runner[forecast->critical_rank].done)
            forecast->critical_rank = rank;
    }
    done = sim->runner[forecast->critical_rank].done;
    forecast->seconds = sim->now;
    forecast->reducing = sim->last == SCT_STAGE_STEPS ? 0 : sim->now - done;
    forecast->mean = use_of(&all, sim->ranks * sim->now);
    forecast->mean.overlap = smaller > 0 ? all.both / smaller : 0;
    forecast->critical = use_of(&sim->runner[forecast->critical_rank], sim->now);
    double most = sim->machine->peak[scene->type] * sim->ranks * sim->now;
    forecast->share_of_peak = most > 0 ? forecast->cost.flops / most : 0;
    forecast->stay = scene->options.stay;
    forecast->bytes_moved = sim->bytes_moved;
}

static sct_status set_scene(const sct_problem *problem, const sct_options *options,
                            const sct_machine *machine, const sct_observer *observer,
                            sct_scene *scene) {
    sct_status status = sct_check_given("machine", machine);
    if (!status && observer)
        status = sct_check_size("observer", observer->size, sizeof *observer, sizeof *observer);
    if (!status)
        status = sct_problem_resolve(problem, &scene->problem);
    if (!status)
        status = sct_options_resolve(options, &scene->options);
    if (status)
        return status;
    if (scene->problem.ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "%d ranks are not at least 1", scene->problem.ranks);
    if (machine->levels == 0 && scene->problem.ranks > 1)
        return sct_fail(SCT_BAD_ARGUMENT, "machine %s has nothing between its ranks",
                        machine->name);
    if (scene->problem.ranks_per_node == 0)
        scene->problem.ranks_per_node = sct_machine_ranks_per_node(machine);
    if (!scene->options.machine)
        scene->options.machine = machine;
    return SCT_OK;
}

/* work: the most that may be done; then what has been. */
static sct_status play(sct_scene *scene, const sct_machine *machine, const sct_observer *observer,
                       sct_cast cast, sct_forecast *forecast, double *work) {
    sct_sim sim;
    sct_forecast made = {.seconds = 0};
    sct_status status = create(machine, observer, scene->problem.ranks, cast, &sim);
    if (status)
        return status;
    sim.most_work = *work;
    status = make_runners(&sim, scene, &made.cost);
    if (!status)
        status = sct_sim_run(&sim);
    if (!status) {
        sum_up(&sim, scene, &made);
        *forecast = made;
        *work = sct_sim_work(&sim);
    }
    clear(&sim);
    return status;
}

sct_status sct_simulate_cast(const sct_problem *problem, const sct_options *options,
                             const sct_machine *machine, sct_cast cast, double most_work,
                             sct_trial *trial) {
    sct_scene scene;
    sct_forecast forecast;
    double work = most_work;
    sct_status status = set_scene(problem, options, machine, NULL, &scene);
    if (!status)
        status = play(&scene, machine, NULL, cast, &forecast, &work);
    if (!status)
        *trial = (sct_trial){forecast.seconds, work};
    return status;
}

sct_status sct_simulate(const sct_problem *problem, const sct_options *options,
                        const sct_machine *machine, const sct_observer *observer,
                        sct_forecast *forecast) {
    sct_scene scene;
    double work = INFINITY;
    sct_status status = sct_check_given("the place for the forecast", forecast);
    if (!status)
        status = set_scene(problem, options, machine, observer, &scene);
    if (status)
        return status;
    if (machine->ranks != 0 && machine->ranks != scene.problem.ranks)
        return sct_fail(SCT_BAD_ARGUMENT, "machine %s has %lld ranks, and the problem has %d",
                        machine->name, (long long)machine->ranks, scene.problem.ranks);
    return play(&scene, machine, observer, (sct_cast){0, scene.problem.ranks}, forecast, &work);
}
