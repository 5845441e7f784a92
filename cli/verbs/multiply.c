/* multiply.c - the verb multiply: multiplies matrices in files, piece by piece and matrix by
 * matrix of a stack. */
#include "args/verbs.h"
#include "print/plan_cost.h"
#include "ranks/host.h"
#include "run/piece_plans.h"
#include "verbs/file_work.h"

#include <inttypes.h>
#include <stdlib.h>

struct multiply_pieces {
    const struct args *args;
    const struct piece_plans *plans;
    const struct input *inputs; /* A, B and perhaps C */
    int count;
    const struct output *output;
    struct progress *progress;
    struct measure *measures;    /* by rank: sums over all pieces */
    struct file_seconds seconds; /* of rank 0 */
};

static const char *const names[MATRICES] = {"A", "B", "C"};
static const int sides[MATRICES][2] = {{0, 2}, {2, 1}, {0, 1}};

/* A piece of a matrix that is in memory. */
struct held {
    sct_matrix *matrix;
    const struct piece_plan *plan; /* by whose layouts it was created */
    struct portion portion;        /* of the file */
    bool filled;
};

/* One rank at work. */
struct task {
    struct worker *worker;
    struct multiply_pieces *job;
    struct held held[MATRICES];
    struct piece piece;
    struct file_place place; /* of that piece */
};

/* ---- Pieces of matrices ---- */

static struct portion portion_of(const struct task *task, int matrix, const struct npy_header *in) {
    const struct pieces *pieces = &task->job->plans->pieces;
    sct_range side[2];
    for (int i = 0; i < 2; i++)
        side[i] = (sct_range){pieces_begin(pieces, &task->piece, sides[matrix][i]),
                              pieces_end(pieces, &task->piece, sides[matrix][i])};
    bool turned = args_turned(task->job->args, matrix);
    return (struct portion){.index = npy_matrices(in) > 1 ? task->place.matrix : 0,
                            .slice = {side[turned], side[!turned]},
                            .share = task->job->plans->share,
                            .progress = task->job->progress};
}

static bool is_same(sct_range one, sct_range other) {
    return one.lo == other.lo && one.hi == other.hi;
}

static bool is_held(const struct held *held, const struct portion *portion) {
    return held->filled && held->portion.index == portion->index &&
           is_same(held->portion.slice.rows, portion->slice.rows) &&
           is_same(held->portion.slice.cols, portion->slice.cols);
}

/* Names the matrix for which there is no memory. */
static sct_status fail_memory(const struct task *task, int matrix, const struct portion *portion) {
    const sct_slice *slice = &portion->slice;
    return worker_fail(task->worker,
                       "no memory for %" PRId64 " x %" PRId64 " elements of %s, %s of %s; --memory "
                       "with fewer bytes makes pieces smaller",
                       slice->rows.hi - slice->rows.lo, slice->cols.hi - slice->cols.lo,
                       sct_type_name(args_type(task->job->args, matrix)), names[matrix],
                       task->job->plans->path[matrix]);
}

/* Makes room for a piece, in the matrix that is there if it has that shape. */
static sct_status make_room(struct task *task, int matrix, const struct portion *portion) {
    struct held *held = &task->held[matrix];
    const struct piece_plan *plan = piece_plans_get(task->job->plans, &task->piece);
    held->filled = false;
    held->portion = *portion;
    if (held->plan == plan)
        return SCT_OK;
    sct_matrix_destroy(held->matrix);
    held->matrix = NULL;
    held->plan = plan;
    sct_status status = sct_matrix_create(task->worker->world, args_type(task->job->args, matrix),
                                          plan->problem.layout[matrix], &held->matrix);
    return status == SCT_NO_MEMORY ? fail_memory(task, matrix, portion) : status;
}

/* Reads the piece of an input that the piece of the product needs, unless it is there. */
static sct_status read_piece(struct task *task, int matrix) {
    const struct input *input = &task->job->inputs[matrix];
    const struct portion portion = portion_of(task, matrix, &input->header);
    struct held *held = &task->held[matrix];
    if (is_held(held, &portion))
        return SCT_OK;
    sct_status status = make_room(task, matrix, &portion);
    double start =
        file_begin(task->worker, "reading", input->path, &input->header, &portion, &task->place);
    if (status == SCT_OK)
        status = input_read(task->worker, input, &portion, SCT_N, held->matrix);
    held->filled = status == SCT_OK;
    file_end(task->worker, &portion, start, &task->job->seconds.read);
    return status;
}

static sct_status write_piece(struct task *task) {
    const struct output *output = task->job->output;
    const struct portion portion = portion_of(task, MATRIX_C, &output->header);
    double start =
        file_begin(task->worker, "writing", output->name, &output->header, &portion, &task->place);
    sct_status status = output_write(task->worker, output, &portion, task->held[MATRIX_C].matrix);
    /* Another sum begins here. */
    task->held[MATRIX_C].filled = false;
    file_end(task->worker, &portion, start, &task->job->seconds.wrote);
    return status;
}

/* ---- Products ---- */

static bool begins_sum(const struct task *task) {
    return task->piece.at[2] == 0;
}

static bool ends_sum(const struct task *task) {
    return task->piece.at[2] == task->job->plans->pieces.count[2] - 1;
}

static sct_status read_pieces(struct task *task) {
    sct_status status = SCT_OK;
    const struct portion portion = portion_of(task, MATRIX_C, &task->job->output->header);
    for (int i = MATRIX_A; i <= MATRIX_B && status == SCT_OK; i++)
        status = read_piece(task, i);
    if (status != SCT_OK || !begins_sum(task))
        return status;
    return task->job->count > MATRIX_C ? read_piece(task, MATRIX_C)
                                       : make_room(task, MATRIX_C, &portion);
}

static void add_measure(const struct measure *piece, struct measure *sum) {
    sum->seconds += piece->seconds;
    sum->cpu_seconds += piece->cpu_seconds;
    sum->traffic.bytes_got += piece->traffic.bytes_got;
    sum->traffic.bytes_accumulated += piece->traffic.bytes_accumulated;
    sum->traffic.bytes_in_place += piece->traffic.bytes_in_place;
}

/* All replicas of the result are then equal, as the next piece of the sum needs them. */
static sct_status run_job(struct task *task, sct_job *bound) {
    const struct args *args = task->job->args;
    const struct number one = {1, 0};
    struct measure measure = {.seconds = 0};
    bool leads = task->worker->rank == 0;
    char text[PLACE_TEXT];
    if (leads)
        progress_begin(task->job->progress, PROGRESS_TIMED, "multiplying%s",
                       file_place_text(&task->place, text));
    sct_status status =
        product_once(task->worker->world, bound, sct_type_sum((sct_type)args->type),
                     args->alpha.number, begins_sum(task) ? args->beta.number : one, &measure);
    if (leads)
        progress_end(task->job->progress);
    add_measure(&measure, &task->job->measures[task->worker->rank]);
    return status == SCT_OK ? sct_matrix_broadcast_replica(task->held[MATRIX_C].matrix, 0) : status;
}

static sct_status multiply_piece(struct task *task) {
    const struct piece_plan *plan = piece_plans_get(task->job->plans, &task->piece);
    sct_job *bound = NULL;
    sct_status status = read_pieces(task);
    if (status == SCT_OK)
        status = sct_job_create(task->worker->world, plan->product.plans[task->worker->rank],
                                sct_whole(task->held[MATRIX_A].matrix),
                                sct_whole(task->held[MATRIX_B].matrix),
                                sct_whole(task->held[MATRIX_C].matrix), &bound);
    if (status == SCT_OK)
        status = run_job(task, bound);
    sct_job_destroy(bound);
    if (status == SCT_OK && ends_sum(task))
        status = write_piece(task);
    return status;
}

/* A worker_work of a struct multiply_pieces. */
static sct_status multiply_pieces_work(struct worker *worker, void *context) {
    struct multiply_pieces *job = context;
    const struct pieces *pieces = &job->plans->pieces;
    struct task task = {
        .worker = worker,
        .job = job,
        .place = {.pieces = pieces, .matrices = file_matrices(&job->output->header)}};
    struct file_place *place = &task.place;
    sct_status status = SCT_OK;
    for (; place->matrix < place->matrices && status == SCT_OK; place->matrix++)
        for (place->number = 0; place->number < pieces_count(pieces) && status == SCT_OK;
             place->number++) {
            task.piece = pieces_get(pieces, place->number);
            status = multiply_piece(&task);
        }
    if (worker->rank == 0)
        progress_clear(job->progress);
    peak_note(worker);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(task.held[i].matrix);
    return status;
}

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
    enum code code = inputs_check_pipes(path, MATRICES);
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
    enum code code = job->args.output && rank_group_leads(job->args.group)
                         ? output_check_room(job->args.output, &job->product)
                         : CODE_DONE;
    if (code != CODE_DONE)
        return code;
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
