/* copy.c - the verb copy: copies a matrix between files. */
#include "args/problem.h"
#include "args/verbs.h"
#include "files/matrix_file.h"
#include "ranks/peak_memory.h"

#include <inttypes.h>
#include <stdio.h>

struct copy {
    const struct args *args;
    struct input input;
    sct_layout *from; /* NULL: copy straight from the file */
    sct_layout *to;
    struct output output;
    struct peak peak;
};

/* to = op(file), through a matrix in the input layout if one is given. */
static sct_status fill(struct worker *worker, const struct copy *job, sct_matrix *to) {
    sct_op op = job->args->op[0];
    sct_matrix *from = NULL;
    if (!job->from)
        return input_read(worker, &job->input, op, to);
    sct_status status = sct_matrix_create(worker->world, job->input.header.type, job->from, &from);
    if (status == SCT_OK)
        status = input_read(worker, &job->input, SCT_N, from);
    if (status == SCT_OK)
        status = sct_copy(op, sct_whole(from), sct_whole(to), NULL);
    sct_matrix_destroy(from);
    return status;
}

static sct_status copy_rank(struct worker *worker, void *context) {
    struct copy *job = context;
    sct_matrix *to = NULL;
    sct_status status = sct_matrix_create(worker->world, job->input.header.type, job->to, &to);
    if (status == SCT_OK)
        status = fill(worker, job, to);
    if (status == SCT_OK)
        status = output_write(worker, &job->output, to);
    peak_note(worker);
    sct_matrix_destroy(to);
    return status;
}

static void print_result(const struct copy *job) {
    const struct npy_header *header = &job->output.header;
    const char *order = header->order == SCT_ROW_MAJOR ? "C" : "Fortran";
    if (!job->args->json) {
        report_name(job->args->output);
        printf("%" PRId64 " x %" PRId64 ", %s, in %s order\n", header->rows, header->cols,
               sct_type_name(header->type), order);
        return;
    }
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_text(&json, "output", job->args->output);
    json_whole(&json, "ranks", job->args->ranks);
    json_text(&json, "engine", rank_group_engine(job->args));
    json_whole(&json, "rows", header->rows);
    json_whole(&json, "cols", header->cols);
    json_text(&json, "type", sct_type_name(header->type));
    json_text(&json, "order", order);
    peak_json(&job->peak, &json);
    json_end_result(&json);
}

static enum code parse_layouts(struct copy *job) {
    const struct args *args = job->args;
    const struct npy_header *header = &job->input.header;
    bool turned = args_turned(args, MATRIX_A);
    enum code code = CODE_DONE;
    if (args->layout[MATRIX_A])
        code = problem_layout("--a", args->layout[MATRIX_A], header->rows, header->cols,
                              args->ranks, &job->from);
    if (code == CODE_DONE)
        code = problem_layout("--b", args->layout[MATRIX_B], turned ? header->cols : header->rows,
                              turned ? header->rows : header->cols, args->ranks, &job->to);
    return code;
}

static enum code copy_file(struct copy *job) {
    struct rank_group *group = job->args->group;
    enum code code = parse_layouts(job);
    if (code == CODE_DONE && !job->args->force)
        code = output_check_apart(job->args->output, &job->input, 1);
    code = output_create(group, code, job->args->output, job->input.header.type, job->to,
                         &job->output);
    code = workers_run(job->args, code, copy_rank, job);
    code = output_finish(group, code, &job->output);
    code = peak_gather(group, code, &job->peak);
    if (code == CODE_DONE && !output_is_standard(&job->output))
        print_result(job);
    sct_layout_destroy(job->to);
    sct_layout_destroy(job->from);
    return code;
}

enum code copy_work(const struct args *args) {
    struct copy job = {.args = args};
    enum code code = input_open(args->group, args->file[0], &job.input);
    if (code != CODE_DONE)
        return code;
    code = copy_file(&job);
    input_close(&job.input);
    return code;
}
