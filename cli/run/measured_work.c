/* measured_work.c - see measured_work.h. Rank 0 reads the wisdom from its file, once; what is
 * measured is added to it on all processes. */
#include "run/measured_work.h"

#include "output/text_file.h"
#include "ranks/worker.h"
#include "run/generated_problem.h"
#include "run/planned_product.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char nothing[] = "sectile wisdom 1\n";

/* ---- The file ---- */

/* More than any wisdom has, as a pipe may never end. */
enum { MOST_BYTES = 64 << 20 };

/* Reads all of a file. Returns 0, or the number of the error. */
static int read_text(FILE *file, char *text) {
    size_t length = fread(text, 1, MOST_BYTES, file);
    if (ferror(file))
        return errno;
    if (length == MOST_BYTES)
        return EFBIG;
    text[length] = '\0';
    return 0;
}

/* Returns all of a file; NULL: it cannot be read, and errno says why. */
static char *read_all(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *room = malloc(MOST_BYTES);
    int error = room ? read_text(file, room) : ENOMEM;
    char *text = error == 0 ? strdup(room) : NULL;
    fclose(file);
    free(room);
    if (error != 0)
        errno = error;
    return text;
}

/* A file that --effort measure is to make need not exist. */
static enum code read_file(const struct args *args) {
    struct rank_group *group = args->group;
    if (group->wisdom)
        return CODE_DONE;
    group->wisdom = args->wisdom ? read_all(args->wisdom) : strdup(nothing);
    if (!group->wisdom && errno == ENOENT && args->effort == SCT_MEASURE)
        group->wisdom = strdup(nothing);
    if (group->wisdom)
        return CODE_DONE;
    report_error("--wisdom: %s: cannot be read: %s", args->wisdom, strerror(errno));
    return CODE_FAILED;
}

/* Collective: gives all processes what rank 0 reads. */
static enum code share_file(const struct args *args) {
    struct rank_group *group = args->group;
    if (group->wisdom)
        return CODE_DONE;
    enum code code = rank_group_leads(group) ? read_file(args) : CODE_DONE;
    return rank_group_spread_text(group, code, &group->wisdom);
}

static enum code write_file(const struct args *args) {
    struct text_file file;
    if (!args->wisdom || !rank_group_leads(args->group))
        return CODE_DONE;
    enum code code = text_file_open(args->wisdom, &file);
    if (code != CODE_DONE)
        return code;
    fputs(args->group->wisdom, file.out);
    return text_file_close(code, &file);
}

/* ---- The work ---- */

struct measuring {
    struct problem *problem;
    sct_options options;
    sct_stay stay; /* and the others: what the first rank of this process returns */
    sct_layout *work;
    char *wisdom;
};

/* The options before the work layout was estimated. */
static sct_options options_asked(const struct problem *problem) {
    sct_options options = problem->options;
    options.stay = SCT_STAY_AUTO;
    options.work = NULL;
    return options;
}

static bool leaves_choice(const struct args *args) {
    return args->stay == SCT_STAY_AUTO && !args->work;
}

static sct_status fill(const struct worker *worker, const struct problem *problem,
                       sct_matrix *const matrix[MATRICES]) {
    const struct number one = {1, 0};
    const struct generated_problem generated = {
        .problem = problem,
        .source = {.seed = (uint64_t)problem->args->seed, .type = (sct_type)problem->args->type},
        .alpha = one,
        .beta = one,
        .threads = 1};
    return generated_problem_fill(worker->world, &generated, matrix);
}

/* Keeps a copy of the world's wisdom. */
static sct_status keep_wisdom(struct worker *worker, struct measuring *measuring) {
    size_t bytes = sct_world_wisdom(worker->world, NULL, 0) + 1;
    measuring->wisdom = malloc(bytes);
    if (!measuring->wisdom)
        return worker_fail(worker, "no memory for wisdom");
    sct_world_wisdom(worker->world, measuring->wisdom, bytes);
    return SCT_OK;
}

static sct_status measure_on_rank(struct worker *worker, void *context) {
    struct measuring *measuring = context;
    const struct problem *problem = measuring->problem;
    const sct_op *op = problem->args->op;
    bool first = worker->rank == worker->group->first;
    sct_matrix *matrix[MATRICES] = {NULL};
    sct_view view[MATRICES];
    sct_stay stay;
    sct_layout *work = NULL;
    sct_status status = product_matrices(worker, problem, matrix);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++)
        status = sct_matrix_view(matrix[i], problem->view[i], &view[i]);
    if (status == SCT_OK)
        status = worker_settle(worker, fill(worker, problem, matrix));
    if (status == SCT_OK)
        status = sct_world_add_wisdom(worker->world, worker->group->wisdom);
    if (status == SCT_OK)
        status = sct_plan_measure(op[MATRIX_A], op[MATRIX_B], view[MATRIX_A], view[MATRIX_B],
                                  view[MATRIX_C], &measuring->options, &stay, &work);
    if (status == SCT_OK && first) {
        measuring->stay = stay;
        measuring->work = work;
        status = keep_wisdom(worker, measuring);
    } else {
        sct_layout_destroy(work);
    }
    for (int i = 0; i < MATRICES; i++)
        sct_matrix_destroy(matrix[i]);
    return status;
}

static enum code measure(struct problem *problem) {
    struct measuring measuring = {.problem = problem, .options = options_asked(problem)};
    struct rank_group *group = problem->args->group;
    enum code code = workers_run(problem->args, CODE_DONE, measure_on_rank, &measuring);
    if (code != CODE_DONE) {
        sct_layout_destroy(measuring.work);
        free(measuring.wisdom);
        return code;
    }
    free(group->wisdom);
    group->wisdom = measuring.wisdom;
    code = problem_use_work(problem, measuring.stay, measuring.work);
    return rank_group_agree(group, code == CODE_DONE ? write_file(problem->args) : code);
}

static enum code recall(struct problem *problem, bool *found) {
    const struct args *args = problem->args;
    const sct_options options = options_asked(problem);
    sct_stay stay;
    sct_layout *work;
    int known = 0;
    *found = false;
    enum code code = read_file(args);
    if (code != CODE_DONE)
        return code;
    sct_status status =
        sct_wisdom_decide(args->group->wisdom, &problem->value, &options, &stay, &work, &known);
    if (status == SCT_BAD_ARGUMENT && args->wisdom)
        report_error("--wisdom: %s: %s", args->wisdom, sct_last_reason());
    if (status != SCT_OK)
        return report_code(status);
    *found = known;
    return problem_use_work(problem, stay, work);
}

enum code measured_work_recall(struct problem *problem) {
    bool found;
    return problem->args->wisdom && leaves_choice(problem->args) ? recall(problem, &found)
                                                                 : CODE_DONE;
}

enum code measured_work_decide(struct problem *problem) {
    const struct args *args = problem->args;
    bool found = true;
    enum code code = CODE_DONE;
    if (leaves_choice(args) && (args->wisdom || args->effort == SCT_MEASURE)) {
        code = share_file(args);
        if (code == CODE_DONE)
            code = recall(problem, &found);
    }
    code = rank_group_agree(args->group, code);
    return found || code != CODE_DONE || args->effort != SCT_MEASURE ? code : measure(problem);
}
