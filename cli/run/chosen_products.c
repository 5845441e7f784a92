/* chosen_products.c - reads a group of products and its constraints, and chooses layouts. */
#include "run/chosen_products.h"

#include "args/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum code read_products(struct chosen_products *group) {
    sct_status status =
        sct_products_parse(group->args->group_text, group->args->sizes, &group->products);
    if (status == SCT_OK && group->args->backward)
        status = sct_products_backward(group->products);
    if (status != SCT_OK)
        report_error("--group: %s", sct_last_reason());
    return report_code(status);
}

/* Reads one of the layouts of a matrix. */
static enum code read_layout(struct chosen_products *group, const char *name, const char *text) {
    int matrix = sct_products_matrix_find(group->products, name);
    if (matrix < 0 || group->fixes == MOST_FIXES) {
        report_error(matrix < 0 ? "--layout: there is no matrix %s" : "--layout: too many for %s",
                     name);
        return CODE_USAGE;
    }
    sct_products_shape shape = sct_products_matrix_at(group->products, matrix);
    sct_layout *layout = NULL;
    enum code code =
        problem_layout("--layout", text, shape.rows, shape.cols, group->args->ranks, &layout);
    if (code == CODE_DONE)
        group->fix[group->fixes++] = (sct_products_fix){shape.name, layout};
    return code;
}

/* Reads NAME=LAYOUT, or NAME=LAYOUT|LAYOUT and so on. */
static enum code read_layouts(struct chosen_products *group, const char *given) {
    enum code code = CODE_DONE;
    char *text = strdup(given), *rest = NULL;
    char *equals = text ? strchr(text, '=') : NULL;
    if (!equals || equals[1 + strspn(equals + 1, "|")] == '\0') {
        report_error("--layout: '%s' is not allowed; allowed: NAME=LAYOUT|LAYOUT...", given);
        free(text);
        return CODE_USAGE;
    }
    *equals = '\0';
    for (char *at = strtok_r(equals + 1, "|", &rest); at && code == CODE_DONE;
         at = strtok_r(NULL, "|", &rest))
        code = read_layout(group, text, at);
    free(text);
    return code;
}

static void show_progress(void *context, const char *work, int64_t done, int64_t total) {
    (void)context;
    report_progress(work, done, total);
}

static const sct_observer observer = {.size = sizeof observer, .progress = show_progress};

static sct_products_search search_of(const struct chosen_products *group) {
    const struct args *args = group->args;
    return (sct_products_search){.size = sizeof(sct_products_search),
                                 .type = (sct_type)args->type,
                                 .ranks = (int)args->ranks,
                                 .ranks_per_node = (int)args->per_node,
                                 .machine = group->machine,
                                 .memory = (uint64_t)args->memory,
                                 .fixes = group->fixes,
                                 .fix = group->fix,
                                 .observer = &observer};
}

enum code chosen_products_find(const struct args *args, struct chosen_products *group) {
    *group = (struct chosen_products){.args = args};
    enum code code = problem_machine(args, &group->machine);
    if (code == CODE_DONE)
        code = read_products(group);
    for (int i = 0; args->group_layouts[i] && code == CODE_DONE; i++)
        code = read_layouts(group, args->group_layouts[i]);
    if (code != CODE_DONE)
        return code;
    const sct_products_search search = search_of(group);
    code = report_status(sct_products_choose(group->products, &search, &group->choice));
    report_clear();
    return code;
}

enum code chosen_products_find_styles(struct chosen_products *group) {
    sct_products_search search = search_of(group);
    sct_status status = SCT_OK;
    search.memory = 0;
    for (int i = 0; i < STYLES && search.ranks > 1 && status == SCT_OK; i++) {
        status =
            sct_products_choose_style(group->products, &search, (sct_style)i, &group->style[i]);
        if (status == SCT_BAD_ARGUMENT)
            status = SCT_OK;
    }
    report_clear();
    return report_status(status);
}

sct_status chosen_products_within(const struct chosen_products *group, uint64_t memory,
                                  sct_products_choice *choice) {
    sct_products_search search = search_of(group);
    search.memory = memory;
    sct_status status = sct_products_choose(group->products, &search, choice);
    report_clear();
    return status;
}

void chosen_products_clear(struct chosen_products *group) {
    sct_products_choice_clear(&group->choice);
    for (int i = 0; i < STYLES; i++)
        sct_products_choice_clear(&group->style[i]);
    for (int i = 0; i < group->fixes; i++)
        sct_layout_destroy((sct_layout *)group->fix[i].layout);
    sct_products_destroy(group->products);
}

const char *chosen_products_name(const struct chosen_products *group, int matrix) {
    return matrix < 0 ? NULL : sct_products_matrix_at(group->products, matrix).name;
}

static const char *op_mark(sct_op op) {
    return op == SCT_N ? "" : op == SCT_T ? "'" : "^H";
}

void chosen_products_text(const struct chosen_products *group, int product,
                          char text[PRODUCT_TEXT]) {
    const sct_products_step step = sct_products_at(group->products, product);
    snprintf(text, PRODUCT_TEXT, "%s %s %s%s * %s%s", chosen_products_name(group, step.c),
             step.add ? "+=" : "=", chosen_products_name(group, step.a), op_mark(step.op_a),
             chosen_products_name(group, step.b), op_mark(step.op_b));
}

/* The bytes of the rank that stores most of a matrix. */
static uint64_t stored(const struct chosen_products *group, int matrix) {
    size_t most = 0, bytes = 0;
    for (int rank = 0; rank < (int)group->args->ranks; rank++) {
        sct_layout_bytes(group->choice.layout[matrix], (sct_type)group->args->type, rank, &bytes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static enum code print_matrix(const struct chosen_products *group, int matrix) {
    const sct_products_shape shape = sct_products_matrix_at(group->products, matrix);
    char size[48], *layout = NULL;
    enum code code = problem_layout_text(group->choice.layout[matrix], &layout);
    if (code != CODE_DONE)
        return code;
    snprintf(size, sizeof size, "%" PRId64 " x %" PRId64, shape.rows, shape.cols);
    printf("%-12s%18s%14.4g  %s\n", shape.name, size, (double)stored(group, matrix) / 1e6, layout);
    free(layout);
    return CODE_DONE;
}

enum code chosen_products_print_matrices(const struct chosen_products *group) {
    enum code code = CODE_DONE;
    printf("%-12s%18s%14s  %s\n", "matrix", "rows x columns", "MB per rank", "layout");
    for (int i = 0; i < group->choice.matrices && code == CODE_DONE; i++)
        code = print_matrix(group, i);
    return code;
}

static enum code matrix_json(const struct chosen_products *group, int matrix, struct json *json) {
    const sct_products_shape shape = sct_products_matrix_at(group->products, matrix);
    char *layout = NULL;
    enum code code = problem_layout_text(group->choice.layout[matrix], &layout);
    json_open(json, NULL, '{');
    json_text(json, "name", shape.name);
    json_whole(json, "rows", shape.rows);
    json_whole(json, "columns", shape.cols);
    json_text(json, "layout", layout);
    json_bytes(json, "bytes", stored(group, matrix));
    json_close(json, '}');
    free(layout);
    return code;
}

enum code chosen_products_matrices_json(const struct chosen_products *group, struct json *json) {
    enum code code = CODE_DONE;
    json_open(json, "matrices", '[');
    for (int i = 0; i < group->choice.matrices && code == CODE_DONE; i++)
        code = matrix_json(group, i, json);
    json_close(json, ']');
    return code;
}
