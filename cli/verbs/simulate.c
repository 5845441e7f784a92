/* simulate.c - the verb simulate: runs the plans of all ranks in virtual time. */
#include "args/problem.h"
#include "args/verbs.h"
#include "draw/trace_files.h"
#include "print/plan_cost.h"
#include "print/progress.h"
#include "ranks/rank_group.h"
#include "ranks/system.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct simulation {
    const struct args *args;
    struct problem problem;
    sct_forecast forecast;
    struct trace_files files;
};

static void see_event(void *context, const sct_trace_event *event) {
    struct simulation *simulation = context;
    trace_files_add(&simulation->files, event);
}

static void see_progress(void *context, const char *work, int64_t done, int64_t total) {
    (void)context;
    report_progress(work, done, total);
}

/* The plans of all ranks are in memory at once, so that too many are noticed before they are made.
 */
static enum code check_memory(int64_t ranks) {
    const int64_t least = 16 << 10; /* of the plan of a rank */
    int64_t available = system_available_memory(1);
    char needed[PROGRESS_BYTES], left[PROGRESS_BYTES];
    if (available < 0 || ranks <= available / least)
        return CODE_DONE;
    progress_bytes((double)(ranks * least), needed);
    progress_bytes((double)available, left);
    report_error("the plans of %" PRId64 " ranks take more than %s of memory, and %s are free: "
                 "simulate fewer ranks",
                 ranks, needed, left);
    return CODE_FAILED;
}

static enum code simulate(struct simulation *simulation) {
    const struct problem *problem = &simulation->problem;
    const sct_observer observer = {.size = sizeof observer,
                                   .event = trace_files_wanted(simulation->args) ? see_event : NULL,
                                   .progress = see_progress,
                                   .context = simulation};
    sct_status status = sct_simulate(&problem->value, &problem->options,
                                     simulation->problem.machine, &observer, &simulation->forecast);
    report_clear();
    return report_status(status);
}

static void json_use(struct json *json, const sct_use *use) {
    json_real(json, "computing", use->computing);
    json_real(json, "moving", use->moving);
    json_real(json, "overlap", use->overlap);
}

static void print_json(const struct simulation *simulation) {
    const sct_forecast *forecast = &simulation->forecast;
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_text(&json, "machine", sct_machine_name(simulation->problem.machine));
    problem_json(&simulation->problem, forecast->stay, &json);
    json_real(&json, "seconds", forecast->seconds);
    json_real(&json, "reducing", forecast->reducing);
    json_real(&json, "share_of_peak", forecast->share_of_peak);
    json_open(&json, "mean", '{');
    json_use(&json, &forecast->mean);
    json_close(&json, '}');
    json_open(&json, "critical", '{');
    json_whole(&json, "rank", forecast->critical_rank);
    json_use(&json, &forecast->critical);
    json_close(&json, '}');
    json_bytes(&json, "bytes_moved", forecast->bytes_moved);
    json_open(&json, "sum", '{');
    cost_json(&forecast->cost, &json);
    json_close(&json, '}');
    json_end_result(&json);
}

static void print_share(const char *name, double mean, double critical) {
    printf("%-20s%18.1f %%%18.1f %%\n", name, 100 * mean, 100 * critical);
}

static void print_table(const struct simulation *simulation) {
    const sct_forecast *forecast = &simulation->forecast;
    const sct_cost *sum = &forecast->cost;
    const char *head = "all ranks", *about = sct_machine_about(simulation->problem.machine);
    char rank[24];
    snprintf(rank, sizeof rank, "rank %d", forecast->critical_rank);
    problem_print(&simulation->problem, forecast->stay);
    printf("  on %s%s%s\n\n", sct_machine_name(simulation->problem.machine),
           about[0] == '\0' ? "" : ": ", about);
    printf("%-20s%20.6g\n", "seconds", forecast->seconds);
    if (forecast->reducing > 0)
        printf("%-20s%20.6g\n", "  reducing replicas", forecast->reducing);
    printf("%-20s%18.1f %%\n\n", "share of the peak", 100 * forecast->share_of_peak);
    printf("%-20s%20s%20s\n", "share of the time", "all ranks", rank);
    print_share("  computing", forecast->mean.computing, forecast->critical.computing);
    print_share("  communicating", forecast->mean.moving, forecast->critical.moving);
    print_share("overlap", forecast->mean.overlap, forecast->critical.overlap);
    putchar('\n');
    cost_print(1, &head, &sum);
    printf("%-20s%20" PRIu64 "\n", "bytes moved", forecast->bytes_moved);
    printf("\nCritical rank: %d, the last to finish its steps.\n", forecast->critical_rank);
}

/* Writes the pictures. */
static enum code draw(struct simulation *simulation, enum code code) {
    const struct args *args = simulation->args;
    const sct_forecast *forecast = &simulation->forecast;
    char heading[200], more[190], shape[SHAPE_TEXT];
    args_shape_text(&args->shape, shape);
    snprintf(heading, sizeof heading,
             "%s %s on %" PRId64 " rank%s of %s: %.4g s, %.1f %% of the peak", shape,
             sct_type_name((sct_type)args->type), args->ranks, args->ranks == 1 ? "" : "s",
             sct_machine_name(simulation->problem.machine), forecast->seconds,
             100 * forecast->share_of_peak);
    problem_layouts_text(&simulation->problem, forecast->stay, sizeof more, more);
    return trace_files_close(code, &simulation->files, (int)args->ranks, heading, more,
                             forecast->seconds);
}

static enum code simulate_to_files(struct simulation *simulation) {
    enum code code = trace_files_open(simulation->args, &simulation->files);
    if (code == CODE_DONE)
        code = simulate(simulation);
    code = draw(simulation, code);
    if (code == CODE_DONE && simulation->args->json)
        print_json(simulation);
    else if (code == CODE_DONE)
        print_table(simulation);
    return code;
}

/* Runs on rank 0's process alone. */
enum code simulate_work(const struct args *args) {
    struct simulation simulation = {.args = args};
    if (!rank_group_leads(args->group))
        return CODE_DONE;
    enum code code = check_memory(args->ranks);
    if (code == CODE_DONE)
        code = problem_create(args, &simulation.problem);
    if (code == CODE_DONE) {
        struct problem *problem = &simulation.problem;
        if (problem->value.ranks_per_node == 0 && problem->machine) {
            problem->value.ranks_per_node = sct_machine_ranks_per_node(problem->machine);
            code = problem_decide(problem);
        }
        if (code == CODE_DONE)
            code = simulate_to_files(&simulation);
        problem_destroy(&simulation.problem);
    }
    return code;
}
