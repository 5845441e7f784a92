/* multiply_pieces.c - multiplies matrices in files, piece by piece and matrix by matrix of a stack.
 */
#include "verbs/multiply_pieces.h"

#include "ranks/peak_memory.h"

#include <inttypes.h>

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

sct_status multiply_pieces_work(struct worker *worker, void *context) {
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
