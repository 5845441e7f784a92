/* problem.c - turns arguments into a problem of the library. */
#include "args/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char matrix_names[] = "abc";
static const char op_letters[] = "NTC";

/* The size of an operand as it is stored. */
static struct place stored_size(const struct args *args, int matrix) {
    const struct shape *shape = &args->shape;
    struct place size = {matrix == MATRIX_B ? shape->k : shape->m,
                         matrix == MATRIX_A ? shape->k : shape->n};
    if (args_turned(args, matrix))
        size = (struct place){size.col, size.row};
    return size;
}

enum code problem_layout(const char *name, const char *text, int64_t rows, int64_t cols,
                         int64_t ranks, sct_layout **layout) {
    sct_status status = sct_layout_parse(text, rows, cols, (int)ranks, layout);
    if (status != SCT_OK)
        report_error("%s: %s", name, sct_last_reason());
    return report_code(status);
}

/* The operand's part of its stored matrix, by default the whole; `whole` is that matrix's size. */
static enum code find_view(const struct args *args, int matrix, struct view *whole,
                           sct_slice *slice) {
    struct place size = stored_size(args, matrix);
    struct view view = args->view[matrix];
    if (!view.given)
        view = (struct view){.rows = size.row, .cols = size.col};
    if (view.row > view.rows || size.row > view.rows - view.row || view.col > view.cols ||
        size.col > view.cols - view.col) {
        report_error("--view-%c: the part at row %" PRId64 ", column %" PRId64 " of a %" PRId64
                     " x %" PRId64 " matrix cannot be %" PRId64 " x %" PRId64,
                     matrix_names[matrix], view.row, view.col, view.rows, view.cols, size.row,
                     size.col);
        return CODE_USAGE;
    }
    *whole = view;
    *slice = (sct_slice){{view.row, view.row + size.row}, {view.col, view.col + size.col}};
    return CODE_DONE;
}

static enum code create_layouts(struct problem *problem) {
    const struct args *args = problem->args;
    for (int i = 0; i < MATRICES; i++) {
        struct view whole;
        char name[] = {'-', '-', matrix_names[i], '\0'};
        enum code code = find_view(args, i, &whole, &problem->view[i]);
        if (code == CODE_DONE)
            code = problem_layout(args->layouts_from ? args->layouts_from : name, args->layout[i],
                                  whole.rows, whole.cols, args->ranks, &problem->layout[i]);
        if (code != CODE_DONE)
            return code;
    }
    return problem_texts((const sct_layout *const *)problem->layout, problem->text);
}

enum code problem_work_layout(const struct args *args, sct_layout **work) {
    bool of_a = args->stay == SCT_STAY_A, of_b = args->stay == SCT_STAY_B;
    if (!args->work)
        return CODE_DONE;
    return problem_layout("--work", args->work, of_b ? args->shape.k : args->shape.m,
                          of_a ? args->shape.k : args->shape.n, args->ranks, work);
}

static enum code read_decisions(struct problem *problem) {
    const char *text = problem->args->decisions;
    sct_status status = text ? sct_decisions_parse(text, &problem->decisions) : SCT_OK;
    if (status != SCT_OK)
        report_error("--decisions: %s", sct_last_reason());
    return report_code(status);
}

/* Verbs that plan have no ranks to ask: those of CUDA are on GPUs. */
static sct_gpus gpus_of(const struct args *args) {
    bool known = args->gpus != SCT_GPUS_NONE || args->engine != ENGINE_CUDA;
    return known ? args->gpus : SCT_GPUS_HALVES;
}

static sct_problem value_of(const struct problem *problem) {
    const struct args *args = problem->args;
    const sct_slice *view[MATRICES] = {NULL};
    for (int i = 0; i < MATRICES; i++)
        if (args->view[i].given)
            view[i] = &problem->view[i];
    return (sct_problem){.size = sizeof(sct_problem),
                         .type = (sct_type)args->type,
                         .sum_c = args->sum_c,
                         .op_a = args->op[MATRIX_A],
                         .op_b = args->op[MATRIX_B],
                         .a = problem->layout[MATRIX_A],
                         .b = problem->layout[MATRIX_B],
                         .c = problem->layout[MATRIX_C],
                         .view_a = view[MATRIX_A],
                         .view_b = view[MATRIX_B],
                         .view_c = view[MATRIX_C],
                         .ranks = (int)args->ranks,
                         .ranks_per_node = (int)args->per_node,
                         .gpus = gpus_of(args)};
}

static sct_options options_of(const struct args *args) {
    bool tiles = args->fetch == SCT_FETCH_TILE;
    /* In the library's options, 0 is the default and a negative number means none. */
    int64_t prefetch = args->prefetch == PREFETCH_BY_REACH ? 0
                       : args->prefetch == 0               ? -1
                                                           : args->prefetch;
    return (sct_options){.size = sizeof(sct_options),
                         .stay = (sct_stay)args->stay,
                         .slicing = tiles ? SCT_SLICE_TILE : (sct_slicing)args->slicing,
                         .fetch = (sct_fetch)args->fetch,
                         .schedule = (sct_schedule)args->schedule,
                         .result = (sct_result)args->result,
                         .workspace = (size_t)args->workspace,
                         .prefetch = (int)prefetch,
                         .products_in_flight = (int)args->products,
                         .accumulates_in_flight = (int)args->accumulates,
                         .sync = args->sync,
                         .ordered = args->ordered,
                         .start = (sct_start)args->start,
                         .transfers_in_group = (int)args->transfers};
}

enum code problem_layout_text(const sct_layout *layout, char **text) {
    size_t bytes = sct_layout_print(layout, NULL, 0) + 1;
    *text = malloc(bytes);
    if (!*text) {
        report_error("no memory for the text of a layout");
        return CODE_FAILED;
    }
    sct_layout_print(layout, *text, bytes);
    return CODE_DONE;
}

enum code problem_use_work(struct problem *problem, sct_stay stay, sct_layout *work) {
    sct_layout_destroy(problem->work);
    free(problem->work_text);
    problem->work = work;
    problem->work_text = NULL;
    problem->options.stay = stay;
    problem->options.work = work;
    return work ? problem_layout_text(work, &problem->work_text) : CODE_DONE;
}

enum code problem_decide(struct problem *problem) {
    sct_options options = problem->options;
    sct_layout *work;
    options.stay = (sct_stay)problem->args->stay;
    options.work = problem->args->work ? problem->work : NULL;
    sct_status status = sct_plan_decide(&problem->value, &options, &options.stay, &work);
    if (status != SCT_OK)
        return status == SCT_NO_MEMORY ? report_status(status) : CODE_DONE;
    return problem_use_work(problem, options.stay, work);
}

enum code problem_machine(const struct args *args, const sct_machine **machine) {
    sct_status status = SCT_OK;
    if (args->machine && !*args->loaded)
        status = sct_machine_load(args->machine, args->loaded);
    if (status != SCT_OK)
        report_error("--machine: %s", sct_last_reason());
    *machine = args->machine ? *args->loaded : NULL;
    return report_code(status);
}

enum code problem_machine_text(const sct_machine *machine, char **text) {
    size_t bytes = sct_machine_print(machine, NULL, 0) + 1;
    *text = malloc(bytes);
    if (!*text) {
        report_error("no memory for the text of a machine");
        return CODE_FAILED;
    }
    sct_machine_print(machine, *text, bytes);
    return CODE_DONE;
}

enum code problem_create(const struct args *args, struct problem *problem) {
    *problem = (struct problem){.args = args};
    enum code code = create_layouts(problem);
    if (code == CODE_DONE)
        code = problem_work_layout(args, &problem->work);
    if (code == CODE_DONE)
        code = read_decisions(problem);
    if (code == CODE_DONE)
        code = problem_machine(args, &problem->machine);
    if (code != CODE_DONE) {
        problem_destroy(problem);
        return code;
    }
    problem->value = value_of(problem);
    problem->options = options_of(args);
    problem->options.machine = problem->machine;
    problem->options.work = problem->work;
    problem->options.decisions = args->decisions ? &problem->decisions : NULL;
    code = problem_decide(problem);
    if (code != CODE_DONE)
        problem_destroy(problem);
    return code;
}

void problem_destroy(struct problem *problem) {
    for (int i = 0; i < MATRICES; i++)
        sct_layout_destroy(problem->layout[i]);
    problem_clear_texts(problem->text);
    free(problem->work_text);
    sct_layout_destroy(problem->work);
}

uint64_t problem_stored(const struct problem *problem, int rank) {
    uint64_t sum = 0;
    for (int i = 0; i < MATRICES; i++) {
        size_t bytes = 0;
        sct_layout_bytes(problem->layout[i], args_type(problem->args, i), rank, &bytes);
        sum += bytes;
    }
    return sum;
}

enum code problem_texts(const sct_layout *const layout[MATRICES], char *text[MATRICES]) {
    for (int i = 0; i < MATRICES; i++) {
        enum code code = layout[i] ? problem_layout_text(layout[i], &text[i]) : CODE_DONE;
        if (code != CODE_DONE)
            return code;
    }
    return CODE_DONE;
}

void problem_clear_texts(char *text[MATRICES]) {
    for (int i = 0; i < MATRICES; i++)
        free(text[i]);
}

void problem_work_json(sct_stay stay, const char *work, struct json *json) {
    json_text(json, "stay", work ? NULL : sct_stay_name(stay));
    json_text(json, "work", work);
    json_text(json, "work_of", work ? sct_stay_name(stay) : NULL);
}

void problem_json(const struct problem *problem, sct_stay stay, struct json *json) {
    const struct args *args = problem->args;
    char shape[SHAPE_TEXT];
    char op[] = {op_letters[args->op[0]], op_letters[args->op[1]], '\0'};
    args_shape_text(&args->shape, shape);
    json_whole(json, "ranks", args->ranks);
    json_text(json, "shape", shape);
    json_text(json, "type", sct_type_name((sct_type)args->type));
    json_text(json, "type_c", sct_type_name(args_type(args, MATRIX_C)));
    json_text(json, "op", op);
    json_text(json, "a", problem->text[MATRIX_A]);
    json_text(json, "b", problem->text[MATRIX_B]);
    json_text(json, "c", problem->text[MATRIX_C]);
    problem_work_json(stay, problem->options.work ? problem->work_text : NULL, json);
    json_text(json, "slice", sct_slicing_name(problem->options.slicing));
    json_text(json, "fetch", sct_fetch_name(problem->options.fetch));
    json_text(json, "order", sct_schedule_name((sct_schedule)args->schedule));
    json_text(json, "result", sct_result_name((sct_result)args->result));
    json_whole(json, "ranks_per_node", args->per_node);
    json_whole(json, "nodes", args->per_node);            /* its older name */
    json_known(json, "workspace_limit", args->workspace); /* null: none */
    json_bool(json, "ordered", args->ordered);
}

void problem_print(const struct problem *problem, sct_stay stay) {
    const struct args *args = problem->args;
    char stationary[24] = "no stationary matrix";
    if (!problem->options.work)
        snprintf(stationary, sizeof stationary, "stationary %s", sct_stay_name(stay));
    printf("C is %" PRId64 " x %" PRId64 ", k is %" PRId64 ", %s%s, op %c%c, on %" PRId64
           " rank%s, %s\n",
           args->shape.m, args->shape.n, args->shape.k, sct_type_name((sct_type)args->type),
           args_type(args, MATRIX_C) == (sct_type)args->type ? "" : " to f32",
           op_letters[args->op[0]], op_letters[args->op[1]], args->ranks,
           args->ranks == 1 ? "" : "s", stationary);
    if (problem->options.work)
        printf("  work %s, of the shape of %s\n", problem->work_text ? problem->work_text : "",
               sct_stay_name(stay));
    for (int i = 0; i < MATRICES; i++)
        printf("  %c %s\n", matrix_names[i], problem->text[i]);
}

void problem_layouts_text(const struct problem *problem, sct_stay stay, size_t bytes, char *text) {
    const struct args *args = problem->args;
    const char *work = problem->work_text;
    snprintf(text, bytes, "%s %s; A %s, B %s, C %s", work ? "work" : "stationary",
             work ? work : sct_stay_name(stay), args->layout[MATRIX_A], args->layout[MATRIX_B],
             args->layout[MATRIX_C]);
}

struct place problem_place(const struct problem *problem, int matrix, int64_t row, int64_t col) {
    bool turned = args_turned(problem->args, matrix);
    const sct_slice *view = &problem->view[matrix];
    return (struct place){view->rows.lo + (turned ? col : row),
                          view->cols.lo + (turned ? row : col)};
}
