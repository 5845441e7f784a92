/* choose_products.c - the verb choose for a group of products: prints the layouts of all matrices.
 */
#include "verbs/products.h"

#include "args/problem.h"
#include "output/text_file.h"
#include "run/chosen_products.h"
#include "verbs/group_picture.h"

#include <inttypes.h>
#include <stdlib.h>

static enum code print_product(const struct chosen_products *group, int product) {
    const sct_products_work *work = &group->choice.work[product];
    char text[PRODUCT_TEXT], *layout = NULL;
    const char *waits = chosen_products_name(group, work->waits);
    enum code code = work->layout ? problem_layout_text(work->layout, &layout) : CODE_DONE;
    if (code != CODE_DONE)
        return code;
    chosen_products_text(group, product, text);
    printf("%-24s%10.4g%12.4g%12.4g  %-12s--stay %s%s%s\n", text, 1e3 * work->seconds,
           (double)work->bytes / 1e6, (double)work->workspace / 1e6, waits ? waits : "-",
           sct_stay_name(work->stay), layout ? " --work " : "", layout ? layout : "");
    free(layout);
    return CODE_DONE;
}

/* How the layouts of styles compare with those that were chosen. */
static void print_styles(const struct chosen_products *group) {
    bool any = false;
    for (int i = 0; i < STYLES; i++) {
        const sct_products_choice *choice = &group->style[i];
        if (choice->products == 0)
            continue;
        if (!any)
            printf("\n%-36s%10s%12s%14s\n", "layouts, without constraints", "ms", "x chosen",
                   "MB per rank");
        printf("%-36s%10.4g%12.3f%14.4g\n", sct_style_name((sct_style)i), 1e3 * choice->seconds,
               choice->seconds / group->choice.seconds, (double)choice->memory / 1e6);
        any = true;
    }
}

static bool any_alone(const sct_products_choice *choice) {
    bool any = false;
    for (int i = 0; i < choice->products; i++)
        any = any || choice->work[i].alone;
    return any;
}

static enum code print_table(const struct chosen_products *group) {
    const struct args *args = group->args;
    const sct_products_choice *choice = &group->choice;
    enum code code;
    printf("%d product%s of %s on %" PRId64
           " rank%s of %s: %.4g ms, %.4g MB on the fullest rank\n\n",
           choice->products, choice->products == 1 ? "" : "s", sct_type_name((sct_type)args->type),
           args->ranks, args->ranks == 1 ? "" : "s",
           group->machine ? sct_machine_name(group->machine) : "small nodes on a slow network",
           1e3 * choice->seconds, (double)choice->memory / 1e6);
    code = chosen_products_print_matrices(group);
    printf("\n%-24s%10s%12s%12s  %-12s%s\n", "product", "ms", "MB moved", "workspace", "waits for",
           "work");
    for (int i = 0; i < choice->products && code == CODE_DONE; i++)
        code = print_product(group, i);
    print_styles(group);
    printf("\nOf %.4g combinations of candidates none takes less than %.4g ms, by the times of the "
           "%d products\nthat were simulated, and estimates of the others.\n",
           choice->combinations, 1e3 * choice->bound, choice->simulations);
    if (any_alone(choice))
        puts("One rank was simulated alone, since simulating all would take long.");
    return code;
}

static enum code product_json(const struct chosen_products *group, int product, struct json *json) {
    const sct_products_work *work = &group->choice.work[product];
    char text[PRODUCT_TEXT], *layout = NULL;
    enum code code = work->layout ? problem_layout_text(work->layout, &layout) : CODE_DONE;
    chosen_products_text(group, product, text);
    json_open(json, NULL, '{');
    json_text(json, "product", text);
    problem_work_json(work->stay, layout, json);
    json_real(json, "simulated_seconds", work->seconds);
    json_text(json, "simulated_ranks", work->alone ? "alone" : "together");
    json_bytes(json, "bytes", work->bytes);
    json_bytes(json, "workspace", work->workspace);
    json_known(json, "workspace_limit", (int64_t)work->limit); /* null: none */
    json_text(json, "waits_for", chosen_products_name(group, work->waits));
    json_close(json, '}');
    free(layout);
    return code;
}

static void styles_json(const struct chosen_products *group, struct json *json) {
    json_open(json, "styles", '[');
    for (int i = 0; i < STYLES; i++) {
        const sct_products_choice *choice = &group->style[i];
        if (choice->products == 0)
            continue;
        json_open(json, NULL, '{');
        json_text(json, "name", sct_style_name((sct_style)i));
        json_real(json, "seconds", choice->seconds);
        json_bytes(json, "memory", choice->memory);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static enum code print_json(const struct chosen_products *group) {
    const struct args *args = group->args;
    const sct_products_choice *choice = &group->choice;
    enum code code;
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
    code = chosen_products_matrices_json(group, &json);
    json_open(&json, "products", '[');
    for (int i = 0; i < choice->products && code == CODE_DONE; i++)
        code = product_json(group, i, &json);
    json_close(&json, ']');
    styles_json(group, &json);
    json_end_result(&json);
    return code;
}

static enum code write_picture(const struct chosen_products *group) {
    struct text_file text_file;
    enum code code = text_file_open(group->args->svg, &text_file);
    if (code == CODE_DONE)
        code = group_picture_draw(group, text_file.out);
    return text_file_close(code, &text_file);
}

enum code choose_products(const struct args *args) {
    struct chosen_products group;
    enum code code = chosen_products_find(args, &group);
    if (code == CODE_DONE)
        code = chosen_products_find_styles(&group);
    if (code == CODE_DONE && args->svg)
        code = write_picture(&group);
    if (code == CODE_DONE)
        code = args->json ? print_json(&group) : print_table(&group);
    chosen_products_clear(&group);
    return code;
}
