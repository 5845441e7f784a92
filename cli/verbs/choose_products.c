/* choose_products.c - the verb choose for a group of products: finds layouts for all its matrices,
 * and prints them. */
#include "verbs/choose_products.h"

#include "args/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIXES = 256, PRODUCT_TEXT = 128 };

struct group {
    const struct args *args;
    sct_machine *machine; /* NULL: the library's default */
    sct_products *products;
    int fixes;
    sct_products_fix fix[MOST_FIXES];
    sct_products_choice choice;
};

/* ---- What is asked ---- */

static enum code read_products(struct group *group) {
    sct_status status =
        sct_products_parse(group->args->group_text, group->args->sizes, &group->products);
    if (status == SCT_OK && group->args->backward)
        status = sct_products_backward(group->products);
    if (status != SCT_OK)
        report_error("--group: %s", sct_last_reason());
    return report_code(status);
}

/* Reads one of the layouts of a matrix. */
static enum code read_layout(struct group *group, const char *name, const char *text) {
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
static enum code read_layouts(struct group *group, const char *given) {
    enum code code = CODE_DONE;
    char *text = strdup(given), *rest = NULL;
    char *equals = text ? strchr(text, '=') : NULL;
    if (!equals) {
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

static enum code find(struct group *group) {
    const struct args *args = group->args;
    enum code code = problem_machine(args, &group->machine);
    if (code == CODE_DONE)
        code = read_products(group);
    for (int i = 0; args->group_layouts[i] && code == CODE_DONE; i++)
        code = read_layouts(group, args->group_layouts[i]);
    if (code != CODE_DONE)
        return code;
    const sct_observer observer = {.size = sizeof observer, .progress = show_progress};
    const sct_products_search search = {.size = sizeof search,
                                        .type = (sct_type)args->type,
                                        .ranks = (int)args->ranks,
                                        .ranks_per_node = (int)args->per_node,
                                        .machine = group->machine,
                                        .memory = (uint64_t)args->memory,
                                        .fixes = group->fixes,
                                        .fix = group->fix,
                                        .observer = &observer};
    return report_status(sct_products_choose(group->products, &search, &group->choice));
}

static void clear(struct group *group) {
    sct_products_choice_clear(&group->choice);
    for (int i = 0; i < group->fixes; i++)
        sct_layout_destroy((sct_layout *)group->fix[i].layout);
    sct_products_destroy(group->products);
    sct_machine_destroy(group->machine);
}

/* ---- What is printed ---- */

static const char *matrix_name(const struct group *group, int matrix) {
    return matrix < 0 ? NULL : sct_products_matrix_at(group->products, matrix).name;
}

static const char *op_mark(sct_op op) {
    return op == SCT_N ? "" : op == SCT_T ? "'" : "^H";
}

/* "C = A * B". */
static void product_text(const struct group *group, int product, char text[PRODUCT_TEXT]) {
    const sct_products_step step = sct_products_at(group->products, product);
    snprintf(text, PRODUCT_TEXT, "%s %s %s%s * %s%s", matrix_name(group, step.c),
             step.add ? "+=" : "=", matrix_name(group, step.a), op_mark(step.op_a),
             matrix_name(group, step.b), op_mark(step.op_b));
}

/* The bytes of the rank that stores most of a matrix. */
static uint64_t stored(const struct group *group, int matrix) {
    size_t most = 0, bytes = 0;
    for (int rank = 0; rank < (int)group->args->ranks; rank++) {
        sct_layout_bytes(group->choice.layout[matrix], (sct_type)group->args->type, rank, &bytes);
        most = bytes > most ? bytes : most;
    }
    return most;
}

static enum code print_matrix(const struct group *group, int matrix) {
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

static enum code print_product(const struct group *group, int product) {
    const sct_products_work *work = &group->choice.work[product];
    char text[PRODUCT_TEXT], *layout = NULL;
    const char *waits = matrix_name(group, work->waits);
    enum code code = work->layout ? problem_layout_text(work->layout, &layout) : CODE_DONE;
    if (code != CODE_DONE)
        return code;
    product_text(group, product, text);
    printf("%-24s%10.4g%12.4g%12.4g  %-12s--stay %s%s%s\n", text, 1e3 * work->seconds,
           (double)work->bytes / 1e6, (double)work->workspace / 1e6, waits ? waits : "-",
           sct_stay_name(work->stay), layout ? " --work " : "", layout ? layout : "");
    free(layout);
    return CODE_DONE;
}

static bool any_alone(const sct_products_choice *choice) {
    bool any = false;
    for (int i = 0; i < choice->products; i++)
        any = any || choice->work[i].alone;
    return any;
}

static enum code print_table(const struct group *group) {
    const struct args *args = group->args;
    const sct_products_choice *choice = &group->choice;
    enum code code = CODE_DONE;
    printf("%d product%s of %s on %" PRId64
           " rank%s of %s: %.4g ms, %.4g MB on the fullest rank\n\n",
           choice->products, choice->products == 1 ? "" : "s", sct_type_name((sct_type)args->type),
           args->ranks, args->ranks == 1 ? "" : "s",
           group->machine ? sct_machine_name(group->machine) : "small nodes on a slow network",
           1e3 * choice->seconds, (double)choice->memory / 1e6);
    printf("%-12s%18s%14s  %s\n", "matrix", "rows x columns", "MB per rank", "layout");
    for (int i = 0; i < choice->matrices && code == CODE_DONE; i++)
        code = print_matrix(group, i);
    printf("\n%-24s%10s%12s%12s  %-12s%s\n", "product", "ms", "MB moved", "workspace", "waits for",
           "work");
    for (int i = 0; i < choice->products && code == CODE_DONE; i++)
        code = print_product(group, i);
    printf("\nOf %.4g combinations of candidates none takes less than %.4g ms, by the times of the "
           "%d products\nthat were simulated, and estimates of the others.\n",
           choice->combinations, 1e3 * choice->bound, choice->simulations);
    if (any_alone(choice))
        puts("One rank was simulated alone, since simulating all would take long.");
    return code;
}

static enum code matrix_json(const struct group *group, int matrix, struct json *json) {
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

static enum code product_json(const struct group *group, int product, struct json *json) {
    const sct_products_work *work = &group->choice.work[product];
    char text[PRODUCT_TEXT], *layout = NULL;
    enum code code = work->layout ? problem_layout_text(work->layout, &layout) : CODE_DONE;
    product_text(group, product, text);
    json_open(json, NULL, '{');
    json_text(json, "product", text);
    problem_work_json(work->stay, layout, json);
    json_real(json, "simulated_seconds", work->seconds);
    json_text(json, "simulated_ranks", work->alone ? "alone" : "together");
    json_bytes(json, "bytes", work->bytes);
    json_bytes(json, "workspace", work->workspace);
    json_bytes(json, "workspace_limit", work->limit);
    json_text(json, "waits_for", matrix_name(group, work->waits));
    json_close(json, '}');
    free(layout);
    return code;
}

static enum code print_json(const struct group *group) {
    const struct args *args = group->args;
    const sct_products_choice *choice = &group->choice;
    enum code code = CODE_DONE;
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", true);
    json_whole(&json, "ranks", args->ranks);
    json_text(&json, "type", sct_type_name((sct_type)args->type));
    json_text(&json, "machine", group->machine ? sct_machine_name(group->machine) : NULL);
    json_real(&json, "seconds", choice->seconds);
    json_real(&json, "bound_seconds", choice->bound);
    json_bytes(&json, "memory", choice->memory);
    json_real(&json, "combinations", choice->combinations);
    json_whole(&json, "simulations", choice->simulations);
    json_open(&json, "matrices", '[');
    for (int i = 0; i < choice->matrices && code == CODE_DONE; i++)
        code = matrix_json(group, i, &json);
    json_close(&json, ']');
    json_open(&json, "products", '[');
    for (int i = 0; i < choice->products && code == CODE_DONE; i++)
        code = product_json(group, i, &json);
    json_close(&json, ']');
    json_end_result(&json);
    return code;
}

enum code choose_products(const struct args *args) {
    struct group group = {.args = args};
    enum code code = find(&group);
    report_clear();
    if (code == CODE_DONE)
        code = args->json ? print_json(&group) : print_table(&group);
    clear(&group);
    return code;
}
