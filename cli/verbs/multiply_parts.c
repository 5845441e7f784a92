/* multiply_parts.c - multiplies matrices in files, part by part and matrix by matrix of a stack. */
#include "verbs/multiply_parts.h"

#include "ranks/peak_memory.h"

#include <inttypes.h>

static const char *const names[MATRICES] = {"A", "B", "C"};
static const int sides[MATRICES][2] = {{0, 2}, {2, 1}, {0, 1}};

/* A part of a matrix that is in memory. */
struct held {
    sct_matrix *matrix;
    const struct part_plan *plan; /* by whose layouts it was created */
    struct portion portion;       /* of the file */
    bool filled;
};

/* One rank at work. */
struct task {
    struct worker *worker;
    struct multiply_parts *job;
    struct held held[MATRICES];
    struct part part;
    struct file_place place; /* of that part */
};

/* ---- Parts of matrices ---- */

static struct portion portion_of(const struct task *task, int matrix, const struct npy_header *in) {
    const struct parts *parts = &task->job->plans->parts;
    sct_range side[2];
    for (int i = 0; i < 2; i++)
        side[i] = (sct_range){parts_begin(parts, &task->part, sides[matrix][i]),
                              parts_end(parts, &task->part, sides[matrix][i])};
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
                       "with fewer bytes makes parts smaller",
                       slice->rows.hi - slice->rows.lo, slice->cols.hi - slice->cols.lo,
                       sct_type_name(args_type(task->job->args, matrix)), names[matrix],
                       task->job->plans->path[matrix]);
}

/* Makes room for a part, in the matrix that is there if it has that shape. */
static sct_status make_room(struct task *task, int matrix, const struct portion *portion) {
    struct held *held = &task->held[matrix];
    const struct part_plan *plan = part_plans_get(task->job->plans, &task->part);
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

/* Reads the part of an input that the part of the product needs, unless it is there. */
static sct_status read_part(struct task *task, int matrix) {
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

static sct_status write_part(struct task *task) {
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
    return task->part.at[2] == 0;
}

static bool ends_sum(const struct task *task) {
    return task->part.at[2] == task->job->plans->parts.count[2] - 1;
}

static sct_status read_parts(struct task *task) {
    sct_status status = SCT_OK;
    const struct portion portion = portion_of(task, MATRIX_C, &task->job->output->header);
    for (int i = MATRIX_A; i <= MATRIX_B && status == SCT_OK; i++)
        status = read_part(task, i);
    if (status != SCT_OK || !begins_sum(task))
        return status;
    return task->job->count > MATRIX_C ? read_part(task, MATRIX_C)
                                       : make_room(task, MATRIX_C, &portion);
}

static void add_measure(const struct measure *part, struct measure *sum) {
    sum->seconds += part->seconds;
    sum->cpu_seconds += part->cpu_seconds;
    sum->traffic.bytes_got += part->traffic.bytes_got;
    sum->traffic.bytes_accumulated += part->traffic.bytes_accumulated;
    sum->traffic.bytes_in_place += part->traffic.bytes_in_place;
}

/* All replicas of the result are then equal, as the next part of the sum needs them. */
static sct_status run_job(struct task *task, sct_job *bound) {
    const struct args *args = task->job->args;
    const struct number one = {1, 0};
    struct measure measure = {.seconds = 0};
    bool leads = task->worker->rank == 0;
    char text[PLACE_TEXT];
    if (leads)
        progress_begin_timed(task->job->progress, "multiplying%s",
                             file_place_text(&task->place, text));
    sct_status status =
        product_once(task->worker->world, bound, sct_type_sum((sct_type)args->type),
                     args->alpha.number, begins_sum(task) ? args->beta.number : one, &measure);
    if (leads)
        progress_end(task->job->progress);
    add_measure(&measure, &task->job->measures[task->worker->rank]);
    return status == SCT_OK ? sct_matrix_broadcast_replica(task->held[MATRIX_C].matrix, 0) : status;
}

static sct_status multiply_part(struct task *task) {
    const struct part_plan *plan = part_plans_get(task->job->plans, &task->part);
    sct_job *bound = NULL;
    sct_status status = read_parts(task);
    if (status == SCT_OK)
        status = sct_job_create(task->worker->world, plan->product.plans[task->worker->rank],
                                sct_whole(task->held[MATRIX_A].matrix),
                                sct_whole(task->held[MATRIX_B].matrix),
                                sct_whole(task->held[MATRIX_C].matrix), &bound);
    if (status == SCT_OK)
        status = run_job(task, bound);
    sct_job_destroy(bound);
    if (status == SCT_OK && ends_sum(task))
        status = write_part(task);
    return status;
}

sct_status multiply_parts_work(struct worker *worker, void *context) {
    struct multiply_parts *job = context;
    const struct parts *parts = &job->plans->parts;
    struct task task = {.worker = worker,
                        .job = job,
                        .place = {.parts = parts, .matrices = npy_matrices(&job->output->header)}};
    struct file_place *place = &task.place;
    sct_status status = SCT_OK;
    for (; place->matrix < place->matrices && status == SCT_OK; place->matrix++)
        for (place->number = 0; place->number < parts_count(parts) && status == SCT_OK;
             place->number++) {
            task.part = parts_get(parts, place->number);
            status = multiply_part(&task);
        }
    peak_note(worker);
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(task.held[i].matrix);
    return status;
}
