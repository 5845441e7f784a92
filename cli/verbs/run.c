/* run.c - the verb run: multiplies generated matrices; times and checks the result. */
#include "args/verbs.h"
#include "draw/trace_files.h"
#include "ranks/host.h"
#include "run/experiment.h"
#include "run/measured_work.h"
#include "verbs/products.h"

#include <inttypes.h>
#include <math.h>

static void print_json(const struct problem *problem, const struct outcome *outcome) {
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", outcome_ok(outcome));
    outcome_json(problem, outcome, &json);
    json_end_result(&json);
}

static void print_reference(const struct args *args, const struct outcome *outcome) {
    printf("  ratio %.4g (%.4g to %.4g): time of one BLAS call%s, %.6g s, divided by this time%s\n",
           outcome->ratio.median, outcome->ratio.low, outcome->ratio.high,
           args_computes_on_host(args) ? "" : " on the device of rank 0", outcome->blas_seconds,
           outcome->oversubscribed ? "; oversubscribed" : "");
    if (isfinite(outcome->cpu_outside_gemm))
        printf("  %.3g %% of the processor time is spent outside GEMM\n",
               100 * outcome->cpu_outside_gemm);
}

static void print_check(const struct outcome *outcome) {
    const struct verdict *exact = &outcome->verdicts[EXACT], *bound = &outcome->verdicts[BOUND];
    printf("  check %s: %" PRId64 " element%s compared exactly, %" PRId64
           " with the bound of rounding errors; largest error: %.3g of its bound\n",
           exact->wrong + bound->wrong == 0 ? "holds" : "does not hold", exact->checked,
           exact->checked == 1 ? "" : "s", bound->checked, bound->worst);
}

static void print_table(const struct problem *problem, const struct outcome *outcome) {
    problem_print(problem, outcome->product.stay);
    product_print(&outcome->product, problem->args, &outcome->sum);
    if (problem->args->reference)
        print_reference(problem->args, outcome);
    if (problem->args->check)
        print_check(outcome);
}

/* Runs the problem, and draws what the ranks did if a flag asks for it. */
static enum code run_recorded(const struct problem *problem, struct outcome *outcome) {
    const struct args *args = problem->args;
    struct recording recording = {.ranks = 0};
    struct trace_files files;
    char heading[200], more[190], shape[SHAPE_TEXT];
    double seconds = 0;
    if (!trace_files_wanted(args))
        return experiment_run(problem, NULL, outcome);
    enum code code = trace_files_open(args, &files);
    if (code == CODE_DONE)
        code = recording_create((int)args->ranks, &recording);
    if (code == CODE_DONE)
        code = experiment_run(problem, recording.observer, outcome);
    if (code == CODE_DONE)
        seconds = recording_add_to(&recording, &files);
    args_shape_text(&args->shape, shape);
    snprintf(heading, sizeof heading, "%s %s on %" PRId64 " rank%s: %.4g s", shape,
             sct_type_name((sct_type)args->type), args->ranks, args->ranks == 1 ? "" : "s",
             seconds);
    problem_layouts_text(problem, outcome->product.stay, sizeof more, more);
    recording_destroy(&recording);
    return trace_files_close(code, &files, (int)args->ranks, heading, more, seconds);
}

static enum code run_problem(const struct problem *problem) {
    struct outcome outcome = {.timed = 0};
    enum code code = rank_group_agree(problem->args->group, host_check_limits(problem->args));
    if (code == CODE_DONE)
        code = run_recorded(problem, &outcome);
    if (code != CODE_DONE)
        return code;
    if (problem->args->json)
        print_json(problem, &outcome);
    else
        print_table(problem, &outcome);
    return outcome_ok(&outcome) ? CODE_DONE : CODE_FAILED;
}

enum code run_work(const struct args *args) {
    struct problem problem;
    if (args->group_text)
        return run_products(args);
    enum code code = args_check_scalars(args, (sct_type)args->type);
    if (code == CODE_DONE && trace_files_wanted(args) && args->group->by_processes) {
        report_error("--svg, --trace: with run, ranks that are processes cannot be drawn yet; use "
                     "--engine threads");
        return CODE_USAGE;
    }
    if (code == CODE_DONE)
        code = problem_create(args, &problem);
    if (code != CODE_DONE)
        return code;
    code = measured_work_decide(&problem);
    if (code == CODE_DONE)
        code = run_problem(&problem);
    problem_destroy(&problem);
    return code;
}
