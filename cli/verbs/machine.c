/* machine.c - the verb machine: lists, prints and measures machines. */
#include "args/problem.h"
#include "args/verbs.h"
#include "measure/measure.h"
#include "output/text_file.h"
#include "print/json.h"
#include "ranks/host.h"
#include "ranks/rank_group.h"

#include <inttypes.h>
#include <stdlib.h>

static void list_json(struct json *json, const sct_machine *machine) {
    json_open(json, NULL, '{');
    json_text(json, "name", sct_machine_name(machine));
    json_whole(json, "ranks", sct_machine_ranks(machine));
    json_text(json, "about", sct_machine_about(machine));
    json_close(json, '}');
}

static void list_line(const sct_machine *machine) {
    char ranks[16] = "any";
    if (sct_machine_ranks(machine) > 0)
        snprintf(ranks, sizeof ranks, "%d", sct_machine_ranks(machine));
    printf("%-8s %5s ranks  %s\n", sct_machine_name(machine), ranks, sct_machine_about(machine));
}

static enum code list(const struct args *args) {
    struct json json;
    if (args->json) {
        json_begin(&json, stdout);
        json_bool(&json, "ok", true);
        json_open(&json, "machines", '[');
    }
    for (int i = 0; sct_machine_shipped(i); i++) {
        sct_machine *machine;
        sct_status status = sct_machine_load(sct_machine_shipped(i), &machine);
        if (status != SCT_OK)
            return report_status(status);
        if (args->json)
            list_json(&json, machine);
        else
            list_line(machine);
        sct_machine_destroy(machine);
    }
    if (args->json) {
        json_close(&json, ']');
        json_end_result(&json);
    }
    return CODE_DONE;
}

/* Prints a machine that was loaded or parsed with this status, and destroys it; reports errors. */
static enum code show(sct_status status, sct_machine *machine, FILE *out) {
    if (status != SCT_OK)
        return report_status(status);
    char *text = NULL;
    enum code code = problem_machine_text(machine, &text);
    if (code == CODE_DONE)
        fputs(text, out);
    sct_machine_destroy(machine);
    free(text);
    return code;
}

static enum code show_named(const char *name) {
    sct_machine *machine = NULL;
    sct_status status = sct_machine_load(name, &machine);
    return show(status, machine, stdout);
}

/* Parses the measured description, to check it, and prints that. */
static enum code show_measured(const char *text, FILE *out) {
    sct_machine *machine = NULL;
    sct_status status = sct_machine_parse(text, "measured description", &machine);
    return show(status, machine, out);
}

static enum code no_memory(void) {
    report_error("no memory for a machine");
    return CODE_FAILED;
}

/* Measures, after the output is open: an output that cannot be written should show at once. */
static enum code measure(const struct args *args) {
    struct text_file text_file;
    struct measured measured;
    char *text = NULL;
    size_t bytes;
    enum code code =
        text_file_open(rank_group_leads(args->group) ? args->output : NULL, &text_file);
    FILE *draft = open_memstream(&text, &bytes);
    if (code == CODE_DONE && !draft)
        code = no_memory();
    if (code == CODE_DONE)
        code = host_check_limits(args);
    code = measure_ranks(args, code, &measured);
    bool prints = code == CODE_DONE && rank_group_leads(args->group);
    if (prints)
        measured_print(&measured, args, draft);
    bool whole = draft && fclose(draft) == 0;
    if (prints)
        code = whole ? show_measured(text, text_file.out ? text_file.out : stdout) : no_memory();
    free(text);
    return text_file_close(code, &text_file);
}

enum code machine_work(const struct args *args) {
    if (args->measure)
        return measure(args);
    if (!rank_group_leads(args->group))
        return CODE_DONE;
    return args->file[0] ? show_named(args->file[0]) : list(args);
}
