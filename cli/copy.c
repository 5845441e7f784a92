/* copy.c - the verb copy: a matrix from file to file. */
#include "files.h"
#include "problem.h"
#include "team.h"
#include "verbs.h"

#include <inttypes.h>
#include <stdio.h>

struct copy {
    const struct args *args;
    struct input input;
    sct_layout *from; /* NULL: the file itself is copied from */
    sct_layout *to;
    struct output output;
};

/* The input as the file has it, or dealt to the ranks. */
static sct_status open_from(sct_world *world, const struct copy *job, sct_matrix **from) {
    if (!job->from)
        return input_wrap(world, &job->input, from);
    sct_status status = sct_matrix_create(world, job->input.header.type, job->from, from);
    return status == SCT_OK ? input_read(world, &job->input, *from) : status;
}

static sct_status copy_rank(sct_world *world, void *context) {
    struct copy *job = context;
    sct_matrix *from = NULL, *to = NULL;
    sct_status status = open_from(world, job, &from);
    if (status == SCT_OK)
        status = sct_matrix_create(world, job->input.header.type, job->to, &to);
    if (status == SCT_OK)
        status = sct_copy(job->args->op[0], sct_whole(from), sct_whole(to), NULL);
    if (status == SCT_OK)
        status = output_write(world, to, &job->output);
    sct_matrix_destroy(to);
    sct_matrix_destroy(from);
    return status;
}

static void print_result(const struct copy *job) {
    const struct npy_header *header = &job->output.header;
    const char *order = header->order == SCT_ROW_MAJOR ? "C" : "Fortran";
    if (!job->args->json) {
        printf("%s: %" PRId64 " x %" PRId64 ", %s, in %s order\n", job->args->output, header->rows,
               header->cols, sct_type_name(header->type), order);
        return;
    }
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_text(&json, "output", job->args->output);
    json_whole(&json, "ranks", job->args->ranks);
    json_whole(&json, "rows", header->rows);
    json_whole(&json, "cols", header->cols);
    json_text(&json, "type", sct_type_name(header->type));
    json_text(&json, "order", order);
    json_end(&json);
}

static enum code parse_layouts(struct copy *job) {
    const struct args *args = job->args;
    const struct npy_header *header = &job->input.header;
    bool turned = args->op[0] != SCT_N;
    enum code code = CODE_DONE;
    if (args->layout[MATRIX_A])
        code = problem_layout("--a", args->layout[MATRIX_A], header->rows, header->cols,
                              args->ranks, &job->from);
    if (code == CODE_DONE)
        code = problem_layout("--b", args->layout[MATRIX_B], turned ? header->cols : header->rows,
                              turned ? header->rows : header->cols, args->ranks, &job->to);
    return code;
}

enum code copy_work(const struct args *args) {
    struct copy job = {.args = args};
    enum code code = input_open(args->file[0], args->ranks, &job.input);
    if (code == CODE_DONE)
        code = parse_layouts(&job);
    if (code == CODE_DONE)
        code = output_create(args->output, job.input.header.type, job.to, &job.output);
    if (code == CODE_DONE) {
        code = output_finish(&job.output, team_run(args, copy_rank, &job));
        if (code == CODE_DONE)
            print_result(&job);
    }
    sct_layout_destroy(job.to);
    sct_layout_destroy(job.from);
    input_close(&job.input);
    return code;
}
