/* multiply.c - the verb multiply: multiplies matrices in files. */
#include "args/verbs.h"
#include "print/plan_cost.h"
#include "ranks/peak_memory.h"
#include "verbs/multiply_pieces.h"
#include "verbs/operands.h"

#include <inttypes.h>
#include <stdlib.h>

struct multiply {
    struct args args; /* with shape and type from the files */
    const char *path[MATRICES];
    struct input input[MATRICES];
    int inputs; /* number of open inputs; 3 if there is a C to add */
    struct npy_header product;
    struct progress progress;
    struct host host;
    struct piece_plans plans;
    struct product planned; /* over all pieces and matrices */
    struct output output;
    struct multiply_pieces pieces;
    struct measure *measures; /* by rank */
    struct peak peak;
};

static enum code open_inputs(struct multiply *job) {
    const char *path[MATRICES] = {job->args.file[0], job->args.file[1], job->args.addend};
    enum code code = CODE_DONE;
    double start = product_now();
    for (; code == CODE_DONE && job->inputs < MATRICES && path[job->inputs]; job->inputs++) {
        code = input_open(job->args.group, path[job->inputs], &job->progress,
                          &job->input[job->inputs]);
        job->path[job->inputs] = job->input[job->inputs].path;
    }
    job->pieces.seconds.read += product_now() - start;
    return code;
}

/* ---- What is printed ---- */

static void print_dry_run(struct multiply *job) {
    const struct problem problem = piece_plans_problem(&job->plans);
    const char *heads[] = {"all ranks"};
    const sct_cost *columns[] = {&job->planned.planned};
    if (job->args.output) {
        report_name(job->args.output);
        fputs(": ", stdout);
    }
    problem_print(&problem, job->planned.stay);
    if (job->product.stacked)
        printf("  stack of %" PRId64 "\n", job->product.count);
    file_print_pieces(pieces_count(&job->plans.pieces), job->plans.memory);
    putchar('\n');
    cost_print(1, heads, columns);
}

/* What a dry run and a product begin with. */
static void begin_json(const struct multiply *job, struct json *json) {
    const struct problem problem = piece_plans_problem(&job->plans);
    json_begin(json, stdout);
    json_bool(json, "ok", true);
    json_text(json, "output", job->args.output);
    problem_json(&problem, job->planned.stay, json);
    json_whole(json, "matrices", job->args.matrices);
    file_json_pieces(pieces_count(&job->plans.pieces), job->plans.memory, &job->host, json);
}

static void json_dry_run(const struct multiply *job) {
    struct json json;
    begin_json(job, &json);
    cost_json(&job->planned.planned, &json);
    json_end_result(&json);
}

static void print_summary(const struct multiply *job, const struct measure *sum) {
    char read[SECONDS_TEXT], multiplied[SECONDS_TEXT], wrote[SECONDS_TEXT];
    file_print_output(&job->output);
    file_print_matrix(&job->product);
    printf(", k %" PRId64, job->args.shape.k);
    file_print_ranks(job->args.ranks, pieces_count(&job->plans.pieces));
    printf("read %s, multiplied %s (%.3g GFLOP/s), wrote %s\n",
           file_seconds_text(job->pieces.seconds.read, read),
           file_seconds_text(sum->seconds, multiplied), product_gflops(&job->args, sum->seconds),
           file_seconds_text(job->pieces.seconds.wrote, wrote));
}

static void print_details(const struct multiply *job, const struct measure *sum) {
    const struct problem problem = piece_plans_problem(&job->plans);
    putchar('\n');
    problem_print(&problem, job->planned.stay);
    file_print_pieces(pieces_count(&job->plans.pieces), job->plans.memory);
    product_print(&job->planned, &job->args, sum);
}

static void json_result(const struct multiply *job, const struct measure *sum) {
    struct json json;
    begin_json(job, &json);
    product_json(&job->planned, &job->args, sum, &json);
    json_bool(&json, "replaced", job->output.replaces);
    json_real(&json, "read_seconds", job->pieces.seconds.read);
    json_real(&json, "write_seconds", job->pieces.seconds.wrote);
    peak_json(&job->peak, &json);
    json_end_result(&json);
}

static void print_result(const struct multiply *job) {
    struct measure sum = {.seconds = 0};
    for (int rank = 0; rank < job->planned.ranks; rank++)
        measure_add(&sum, &job->measures[rank]);
    if (job->args.json) {
        json_result(job, &sum);
        return;
    }
    print_summary(job, &sum);
    if (job->args.verbose)
        print_details(job, &sum);
}

/* ---- The work ---- */

/* Creates the output first, so that a full disk is found early, then reads and multiplies. */
static enum code write_product(struct multiply *job) {
    struct rank_group *group = job->args.group;
    double start = product_now();
    job->pieces.count = job->inputs;
    enum code code = output_create(group, CODE_DONE, job->args.output, &job->product, &job->output);
    job->pieces.seconds.wrote += product_now() - start;
    start = product_now();
    code = inputs_load(group, code, &job->host, &job->progress, job->input, job->inputs);
    job->pieces.seconds.read += product_now() - start;
    code = workers_run(&job->args, code, multiply_pieces_work, &job->pieces);
    start = product_now();
    code = output_finish(group, code, &job->output);
    job->pieces.seconds.wrote += product_now() - start;
    code = rank_group_gather(group, code, job->measures, sizeof *job->measures);
    code = peak_gather(group, code, &job->peak);
    if (code == CODE_DONE && !output_is_standard(&job->output))
        print_result(job);
    return code;
}

static enum code do_or_show(struct multiply *job) {
    job->planned = piece_plans_sum(&job->plans, job->args.matrices);
    if (!job->args.dry_run)
        return write_product(job);
    if (job->args.json)
        json_dry_run(job);
    else
        print_dry_run(job);
    return CODE_DONE;
}

/* The order of the output is that of the layout of C. */
static enum code find_order(struct multiply *job) {
    const struct problem problem = piece_plans_problem(&job->plans);
    job->product.order = sct_layout_order(problem.layout[MATRIX_C]);
    return file_check_order("--c", job->args.layout[MATRIX_C], &job->product);
}

static enum code plan_product(struct multiply *job) {
    enum code code = host_find(&job->args, host_check_limits(&job->args), &job->host);
    job->path[MATRIX_C] = job->args.output ? job->args.output : "the output";
    if (code == CODE_DONE)
        code = piece_plans_create(&job->args, &job->host, job->path, &job->plans);
    if (code != CODE_DONE)
        return code;
    code = find_order(job);
    if (code == CODE_DONE)
        code = do_or_show(job);
    piece_plans_destroy(&job->plans);
    return code;
}

/* Everything that can be known from headers is checked before any elements are read. */
static enum code multiply_files(struct multiply *job) {
    struct args *args = &job->args;
    enum code code = CODE_DONE;
    if (args->output && rank_group_leads(args->group))
        code = output_check(args->output);
    if (code == CODE_DONE)
        code = open_inputs(job);
    if (code == CODE_DONE)
        code = operands_check(args, job->input, job->inputs, &job->product);
    if (code == CODE_DONE && args->output && !args->force)
        code = output_check_replaced(args->output, job->input, job->inputs);
    return code == CODE_DONE ? plan_product(job) : code;
}

static enum code run(struct multiply *job) {
    job->args.result = SCT_RESULT_ORIGIN; /* only replica 0 is written */
    job->pieces = (struct multiply_pieces){.args = &job->args,
                                           .plans = &job->plans,
                                           .inputs = job->input,
                                           .output = &job->output,
                                           .progress = &job->progress,
                                           .measures = job->measures};
    progress_open(&job->progress, rank_group_leads(job->args.group));
    enum code code = multiply_files(job);
    for (int i = 0; i < job->inputs; i++)
        input_close(&job->input[i]);
    return code;
}

enum code multiply_work(const struct args *args) {
    struct multiply *job = calloc(1, sizeof *job);
    struct measure *measures = calloc((size_t)args->ranks, sizeof *measures);
    enum code code = CODE_FAILED;
    if (job && measures) {
        job->args = *args;
        job->measures = measures;
        code = run(job);
    } else {
        report_error("no memory for %" PRId64 " ranks", args->ranks);
    }
    free(measures);
    free(job);
    return code;
}
