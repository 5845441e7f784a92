/* copy.c - the verb copy: copies matrices between files. */
#include "args/problem.h"
#include "args/verbs.h"
#include "ranks/host.h"
#include "run/piece_plans.h"
#include "run/planned_product.h"
#include "verbs/file_work.h"

#include <inttypes.h>
#include <stdio.h>

struct copy {
    const struct args *args;
    struct input input;
    struct npy_header result;
    struct progress progress;
    struct host host;
    struct pieces pieces; /* of the output: m is its rows, n its columns */
    int64_t share;        /* bytes of a rank's share of a piece of a file */
    double memory;        /* bytes that all ranks take */
    struct output output;
    struct file_seconds seconds;
    struct peak peak;
};

/* The layouts of a piece of so many rows and columns of the output. */
struct piece_layouts {
    sct_layout *from; /* NULL: copy straight from the file */
    sct_layout *to;
};

static void destroy_layouts(struct piece_layouts *layouts) {
    sct_layout_destroy(layouts->from);
    sct_layout_destroy(layouts->to);
    *layouts = (struct piece_layouts){NULL, NULL};
}

static sct_status parse_layout(const struct copy *job, int matrix, int64_t rows, int64_t cols,
                               sct_layout **layout) {
    const char *text = job->args->layout[matrix];
    return text ? sct_layout_parse(text, rows, cols, (int)job->args->ranks, layout) : SCT_OK;
}

static sct_status make_layouts(const struct copy *job, int64_t rows, int64_t cols,
                               struct piece_layouts *layouts) {
    bool turned = args_turned(job->args, MATRIX_A);
    *layouts = (struct piece_layouts){NULL, NULL};
    sct_status status = parse_layout(job, MATRIX_B, rows, cols, &layouts->to);
    if (status == SCT_OK)
        status =
            parse_layout(job, MATRIX_A, turned ? cols : rows, turned ? rows : cols, &layouts->from);
    if (status != SCT_OK)
        destroy_layouts(layouts);
    return status;
}

/* ---- The work of a rank ---- */

/* The piece of a file that is a piece of the output, or becomes it. */
static struct portion portion_of(struct copy *job, const struct file_place *place, bool turned) {
    struct piece piece = pieces_get(&job->pieces, place->number);
    sct_range rows = {pieces_begin(&job->pieces, &piece, 0), pieces_end(&job->pieces, &piece, 0)};
    sct_range cols = {pieces_begin(&job->pieces, &piece, 1), pieces_end(&job->pieces, &piece, 1)};
    return (struct portion){.index = place->matrix,
                            .slice = {turned ? cols : rows, turned ? rows : cols},
                            .share = job->share,
                            .progress = &job->progress};
}

static sct_status make_matrix(struct worker *worker, const struct copy *job,
                              const sct_layout *layout, sct_matrix **matrix) {
    sct_status status = sct_matrix_create(worker->world, job->result.type, layout, matrix);
    if (status != SCT_NO_MEMORY)
        return status;
    return worker_fail(worker,
                       "no memory for %" PRId64 " x %" PRId64
                       " elements of %s of %s; --memory with "
                       "fewer bytes makes pieces smaller",
                       sct_layout_rows(layout), sct_layout_cols(layout),
                       sct_type_name(job->result.type), job->input.path);
}

/* to = op(portion), through a matrix in the input layout if one is given. */
static sct_status fill(struct worker *worker, const struct copy *job, const struct portion *portion,
                       const sct_layout *through, sct_matrix *to) {
    sct_op op = job->args->op[0];
    sct_matrix *from = NULL;
    if (!through)
        return input_read(worker, &job->input, portion, op, to);
    sct_status status = make_matrix(worker, job, through, &from);
    if (status == SCT_OK)
        status = input_read(worker, &job->input, portion, SCT_N, from);
    if (status == SCT_OK)
        status = sct_copy(op, sct_whole(from), sct_whole(to), NULL);
    sct_matrix_destroy(from);
    return status;
}

static sct_status read_piece(struct worker *worker, struct copy *job,
                             const struct file_place *place, const sct_layout *through,
                             sct_matrix *to) {
    const struct portion portion = portion_of(job, place, args_turned(job->args, MATRIX_A));
    double start =
        file_begin(worker, "reading", job->input.path, &job->input.header, &portion, place);
    sct_status status = fill(worker, job, &portion, through, to);
    file_end(worker, &portion, start, &job->seconds.read);
    return status;
}

static sct_status write_piece(struct worker *worker, struct copy *job,
                              const struct file_place *place, sct_matrix *from) {
    const struct portion portion = portion_of(job, place, false);
    double start =
        file_begin(worker, "writing", job->output.name, &job->output.header, &portion, place);
    sct_status status = output_write(worker, &job->output, &portion, from);
    file_end(worker, &portion, start, &job->seconds.wrote);
    return status;
}

static sct_status copy_piece(struct worker *worker, struct copy *job,
                             const struct file_place *place) {
    const struct portion portion = portion_of(job, place, false);
    struct piece_layouts layouts;
    sct_matrix *to = NULL;
    sct_status status = make_layouts(job, portion.slice.rows.hi - portion.slice.rows.lo,
                                     portion.slice.cols.hi - portion.slice.cols.lo, &layouts);
    status = worker_settle(worker, status);
    if (status == SCT_OK)
        status = make_matrix(worker, job, layouts.to, &to);
    if (status == SCT_OK)
        status = read_piece(worker, job, place, layouts.from, to);
    if (status == SCT_OK)
        status = write_piece(worker, job, place, to);
    peak_note(worker);
    sct_matrix_destroy(to);
    destroy_layouts(&layouts);
    return status;
}

static sct_status copy_rank(struct worker *worker, void *context) {
    struct copy *job = context;
    struct file_place place = {.pieces = &job->pieces, .matrices = file_matrices(&job->result)};
    sct_status status = SCT_OK;
    for (; place.matrix < place.matrices && status == SCT_OK; place.matrix++)
        for (place.number = 0; place.number < pieces_count(&job->pieces) && status == SCT_OK;
             place.number++)
            status = copy_piece(worker, job, &place);
    if (worker->rank == 0)
        progress_clear(&job->progress);
    return status;
}

/* ---- Pieces ---- */

/* What the ranks of this process take while they copy the largest piece. */
static uint64_t own_bytes(const struct copy *job, const struct piece_layouts *layouts) {
    const struct rank_group *group = job->args->group;
    uint64_t sum = 0;
    for (int rank = group->first; rank < group->first + group->count; rank++) {
        size_t to = 0, from = 0;
        sct_layout_bytes(layouts->to, job->result.type, rank, &to);
        if (layouts->from)
            sct_layout_bytes(layouts->from, job->result.type, rank, &from);
        sum += to + from + FIT_ROOMS * (to < (size_t)job->share ? to : (size_t)job->share);
    }
    return sum;
}

/* Checks the layouts for the largest piece, and sets the order of the output. */
static enum code check_layouts(struct copy *job, uint64_t *bytes) {
    struct piece_layouts layouts = {NULL, NULL};
    int64_t rows = job->pieces.size[0], cols = job->pieces.size[1];
    bool turned = args_turned(job->args, MATRIX_A);
    rows = rows < job->result.rows ? rows : job->result.rows;
    cols = cols < job->result.cols ? cols : job->result.cols;
    enum code code = CODE_DONE;
    if (job->args->layout[MATRIX_A])
        code = problem_layout("--a", job->args->layout[MATRIX_A], turned ? cols : rows,
                              turned ? rows : cols, job->args->ranks, &layouts.from);
    if (code == CODE_DONE)
        code = problem_layout("--b", job->args->layout[MATRIX_B], rows, cols, job->args->ranks,
                              &layouts.to);
    if (code == CODE_DONE) {
        job->result.order = sct_layout_order(layouts.to);
        *bytes = own_bytes(job, &layouts);
    }
    destroy_layouts(&layouts);
    return code;
}

/* Makes pieces smaller until the ranks of each host have memory for one. */
static enum code fit_pieces(struct copy *job) {
    const struct npy_header *result = &job->result;
    const double whole[3] = {0, 0, (double)npy_matrix_bytes(result)};
    const struct fit_matrix matrix = {"the matrix",           job->input.path,
                                      job->input.header.rows, job->input.header.cols,
                                      result->type,           whole[2]};
    struct fit fit = {.args = job->args, .host = &job->host};
    double factor = 1;
    job->pieces = pieces_whole(result->rows, result->cols, 1);
    for (;;) {
        uint64_t bytes = 0;
        enum code code = check_layouts(job, &bytes);
        code = fit_compare(&fit, code, bytes, &matrix, &factor, &job->memory);
        if (code != CODE_DONE || factor == 1)
            return code;
        double limit = pieces_bytes(&job->pieces, whole) / factor;
        if (!pieces_choose(result->rows, result->cols, 1, whole, limit, false, &job->pieces))
            return fit_refuse(&fit, &matrix,
                              pieces_least(result->rows, result->cols, 1, whole, limit, false) /
                                  limit);
    }
}

/* ---- The verb ---- */

static const char *order_of(const struct copy *job) {
    return job->result.order == SCT_ROW_MAJOR ? "C" : "Fortran";
}

static void print_json(const struct copy *job) {
    const struct args *args = job->args;
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_text(&json, "output", args->output);
    json_whole(&json, "ranks", args->ranks);
    json_text(&json, "engine", rank_group_engine(args));
    json_whole(&json, "rows", job->result.rows);
    json_whole(&json, "cols", job->result.cols);
    json_text(&json, "type", sct_type_name(job->result.type));
    json_text(&json, "order", order_of(job));
    json_whole(&json, "matrices", npy_matrices(&job->result));
    file_json_pieces(pieces_count(&job->pieces), job->memory, &job->host, &json);
    if (!args->dry_run) {
        json_bool(&json, "replaced", job->output.replaces);
        json_real(&json, "read_seconds", job->seconds.read);
        json_real(&json, "write_seconds", job->seconds.wrote);
        peak_json(&job->peak, &json);
    }
    json_end_result(&json);
}

static void print_result(const struct copy *job) {
    const struct args *args = job->args;
    char read[SECONDS_TEXT], wrote[SECONDS_TEXT];
    if (args->json) {
        print_json(job);
        return;
    }
    if (!args->dry_run)
        file_print_output(&job->output);
    else if (args->output) {
        report_name(args->output);
        fputs(": ", stdout);
    }
    file_print_matrix(&job->result);
    printf(", in %s order", order_of(job));
    file_print_ranks(args->ranks, pieces_count(&job->pieces));
    if (!args->dry_run)
        printf("read %s, wrote %s\n", file_seconds_text(job->seconds.read, read),
               file_seconds_text(job->seconds.wrote, wrote));
    if (args->dry_run || args->verbose) {
        file_print_pieces(pieces_count(&job->pieces), job->memory);
        printf("  from %s\n  to   %s\n",
               args->layout[MATRIX_A] ? args->layout[MATRIX_A] : "the file",
               args->layout[MATRIX_B]);
    }
}

static enum code write_copy(struct copy *job) {
    struct rank_group *group = job->args->group;
    double start = product_now();
    enum code code = output_create(group, CODE_DONE, job->args->output, &job->result, &job->output);
    job->seconds.wrote += product_now() - start;
    start = product_now();
    code = inputs_load(group, code, &job->host, &job->progress, &job->input, 1);
    job->seconds.read += product_now() - start;
    code = workers_run(job->args, code, copy_rank, job);
    start = product_now();
    code = output_finish(group, code, &job->output);
    job->seconds.wrote += product_now() - start;
    code = peak_gather(group, code, &job->peak);
    if (code == CODE_DONE && !output_is_standard(&job->output))
        print_result(job);
    return code;
}

/* Finds what is written, from the header of the input. */
static enum code find_result(struct copy *job) {
    const struct npy_header *header = &job->input.header;
    bool turned = args_turned(job->args, MATRIX_A);
    int64_t type;
    enum code code = operand_type(&job->input, job->args->type, &type);
    if (code != CODE_DONE)
        return code;
    job->result = (struct npy_header){.type = (sct_type)type,
                                      .rows = turned ? header->cols : header->rows,
                                      .cols = turned ? header->rows : header->cols,
                                      .stacked = header->stacked,
                                      .count = header->count};
    return CODE_DONE;
}

static enum code copy_file(struct copy *job) {
    const struct args *args = job->args;
    enum code code = find_result(job);
    if (code == CODE_DONE && args->output && !args->force)
        code = output_check_replaced(args->output, &job->input, 1);
    code = host_find(args, code, &job->host);
    if (code != CODE_DONE)
        return code;
    job->share = fit_share(args, &job->host);
    code = fit_pieces(job);
    if (code == CODE_DONE)
        code = file_check_order("--b", args->layout[MATRIX_B], &job->result);
    if (code != CODE_DONE)
        return code;
    if (!args->dry_run)
        return write_copy(job);
    if (args->output && rank_group_leads(args->group))
        code = output_check_room(args->output, &job->result);
    if (code == CODE_DONE)
        print_result(job);
    return code;
}

enum code copy_work(const struct args *args) {
    struct copy job = {.args = args};
    enum code code = CODE_DONE;
    progress_open(&job.progress, rank_group_leads(args->group));
    if (args->output && rank_group_leads(args->group))
        code = output_check(args->output);
    if (code != CODE_DONE)
        return code;
    double start = product_now();
    code = input_open(args->group, args->file[0], &job.progress, &job.input);
    if (code != CODE_DONE)
        return code;
    job.seconds.read = product_now() - start;
    code = copy_file(&job);
    input_close(&job.input);
    return code;
}
