/* multiply.c - the verb multiply: multiplies matrices in files. */
#include "args/verbs.h"
#include "files/matrix_file.h"
#include "ranks/peak_memory.h"
#include "run/planned_product.h"

#include <inttypes.h>
#include <stdlib.h>

struct multiply {
    struct args args; /* with shape and type from the files */
    struct input input[MATRICES];
    int inputs; /* number of open inputs; 3 if there is a C to add */
    struct problem problem;
    struct product product;
    struct output output;
    struct measure *measures; /* by rank */
    struct peak peak;
};

static enum code open_inputs(struct multiply *job) {
    const char *path[MATRICES] = {job->args.file[0], job->args.file[1], job->args.addend};
    enum code code = CODE_DONE;
    for (; code == CODE_DONE && job->inputs < MATRICES && path[job->inputs]; job->inputs++)
        code = input_open(job->args.group, path[job->inputs], &job->input[job->inputs]);
    return code;
}

static enum code check_types(const struct multiply *job) {
    for (int i = 1; i < job->inputs; i++) {
        const struct input *first = &job->input[0], *other = &job->input[i];
        if (other->header.type == args_type(&job->args, i))
            continue;
        report_error("%s holds %s and %s holds %s; all must hold the same type%s; NumPy's astype "
                     "converts one",
                     first->path, sct_type_name(first->header.type), other->path,
                     sct_type_name(other->header.type),
                     job->args.sum_c ? ", except C with --sum-c" : "");
        return CODE_FAILED;
    }
    return CODE_DONE;
}

/* The size of op(A), op(B) or C. */
static struct place size_of(const struct multiply *job, int matrix) {
    const struct npy_header *header = &job->input[matrix].header;
    return args_turned(&job->args, matrix) ? (struct place){header->cols, header->rows}
                                           : (struct place){header->rows, header->cols};
}

static enum code find_shape(struct multiply *job) {
    struct place a = size_of(job, MATRIX_A), b = size_of(job, MATRIX_B);
    if (a.col != b.row) {
        report_error("op(A) of %s is %" PRId64 " x %" PRId64 " and op(B) of %s is %" PRId64
                     " x %" PRId64 "; op(A) must have as many columns as op(B) has rows",
                     job->input[MATRIX_A].path, a.row, a.col, job->input[MATRIX_B].path, b.row,
                     b.col);
        return CODE_FAILED;
    }
    job->args.shape = (struct shape){a.row, b.col, a.col};
    if (job->inputs < MATRICES)
        return CODE_DONE;
    struct place c = size_of(job, MATRIX_C);
    if (c.row == a.row && c.col == b.col)
        return CODE_DONE;
    report_error("%s is %" PRId64 " x %" PRId64 ", but the product is %" PRId64 " x %" PRId64,
                 job->input[MATRIX_C].path, c.row, c.col, a.row, b.col);
    return CODE_FAILED;
}

/* Reads the inputs, multiplies and writes the output, once the matrices exist. */
static sct_status fill_and_multiply(struct worker *worker, struct multiply *job,
                                    sct_matrix *const matrix[MATRICES]) {
    sct_job *bound = NULL;
    sct_matrix *c = matrix[MATRIX_C];
    sct_status status = SCT_OK;
    sct_type sum = sct_type_sum((sct_type)job->args.type);
    for (int i = 0; i < job->inputs && status == SCT_OK; i++)
        status = input_read(worker, &job->input[i], SCT_N, matrix[i]);
    if (status == SCT_OK)
        status = sct_job_create(worker->world, job->product.plans[worker->rank],
                                sct_whole(matrix[MATRIX_A]), sct_whole(matrix[MATRIX_B]),
                                sct_whole(c), &bound);
    if (status == SCT_OK)
        status = product_once(worker->world, bound, sum, job->args.alpha.number,
                              job->args.beta.number, &job->measures[worker->rank]);
    sct_job_destroy(bound);
    if (status == SCT_OK)
        status = sct_matrix_broadcast_replica(c, 0);
    if (status == SCT_OK)
        status = output_write(worker, &job->output, c);
    peak_note(worker);
    return status;
}

static sct_status multiply_rank(struct worker *worker, void *context) {
    struct multiply *job = context;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_status status = problem_matrices(worker->world, &job->problem, matrix);
    if (status == SCT_OK)
        status = fill_and_multiply(worker, job, matrix);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static void print_result(const struct multiply *job) {
    struct measure sum = {.seconds = 0};
    for (int rank = 0; rank < job->product.ranks; rank++)
        measure_add(&sum, &job->measures[rank]);
    if (!job->args.json) {
        report_name(job->args.output);
        problem_print(&job->problem, job->product.stay);
        product_print(&job->product, &job->args, &sum);
        return;
    }
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_text(&json, "output", job->args.output);
    problem_json(&job->problem, job->product.stay, &json);
    product_json(&job->product, &job->args, &sum, &json);
    peak_json(&job->peak, &json);
    json_end_result(&json);
}

/* Creates the output first, so that a full disk is found early, then multiplies. */
static enum code write_product(struct multiply *job) {
    struct rank_group *group = job->args.group;
    enum code code = CODE_DONE;
    if (!job->args.force)
        code = output_check_apart(job->args.output, job->input, job->inputs);
    code = output_create(group, code, job->args.output, args_type(&job->args, MATRIX_C),
                         job->problem.layout[MATRIX_C], &job->output);
    code = workers_run(&job->args, code, multiply_rank, job);
    code = output_finish(group, code, &job->output);
    code = rank_group_gather(group, code, job->measures, sizeof *job->measures);
    code = peak_gather(group, code, &job->peak);
    if (code == CODE_DONE && !output_is_standard(&job->output))
        print_result(job);
    return code;
}

static enum code plan_product(struct multiply *job) {
    enum code code = problem_create(&job->args, &job->problem);
    if (code != CODE_DONE)
        return code;
    code = product_create(&job->problem, &job->product);
    if (code == CODE_DONE) {
        code = write_product(job);
        product_destroy(&job->product);
    }
    problem_destroy(&job->problem);
    return code;
}

static enum code multiply_files(struct multiply *job) {
    enum code code = open_inputs(job);
    if (code != CODE_DONE)
        return code;
    job->args.type = job->input[0].header.type;
    code = check_types(job);
    if (code == CODE_DONE)
        code = find_shape(job);
    if (code != CODE_DONE)
        return code;
    code = args_check_scalars(&job->args, (sct_type)job->args.type);
    return code == CODE_DONE ? plan_product(job) : code;
}

enum code multiply_work(const struct args *args) {
    struct multiply *job = calloc(1, sizeof *job);
    struct measure *measures = calloc((size_t)args->ranks, sizeof *measures);
    enum code code = CODE_FAILED;
    if (job && measures) {
        job->args = *args;
        job->args.result = SCT_RESULT_ORIGIN; /* only replica 0 is written */
        job->measures = measures;
        code = multiply_files(job);
        for (int i = 0; i < job->inputs; i++)
            input_close(&job->input[i]);
    } else {
        report_error("no memory for %" PRId64 " ranks", args->ranks);
    }
    free(measures);
    free(job);
    return code;
}
