/* bench.c - the verb bench: sweeps shapes, layouts, replication and the stationary matrix. */
#include "args/args.h"
#include "args/verbs.h"
#include "draw/chart.h"
#include "output/text_file.h"
#include "ranks/host.h"
#include "ranks/rank_group.h"
#include "run/experiment.h"
#include "run/measured_work.h"
#include "values/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The combinations of layouts and replication ---- */

/* Indices into --layouts and --replicas, by matrix. */
struct combination {
    int layout[MATRICES], replicas[MATRICES];
};

struct sweep {
    struct combination *combinations;
    int64_t count;
};

/* A layout with its replication, such as row*2/f. */
enum { SWEEP_TEXT = LIST_WORD + 24 };

/* More would take months. */
enum { MOST = 1000000 };

/* How often the sample has each layout and replication factor, by matrix. */
struct usage {
    int64_t layout[MATRICES][LIST_ITEMS], replicas[MATRICES][LIST_ITEMS];
};

static int64_t count_all(const struct args *args) {
    int64_t choices = (int64_t)args->layouts.count * args->replicas.count;
    return choices * choices * choices;
}

/* The combination with this number, from 0 to count_all - 1. */
static struct combination combination_of(const struct args *args, int64_t number) {
    struct combination combination;
    for (int i = MATRICES - 1; i >= 0; i--) {
        combination.replicas[i] = (int)(number % args->replicas.count);
        number /= args->replicas.count;
        combination.layout[i] = (int)(number % args->layouts.count);
        number /= args->layouts.count;
    }
    return combination;
}

static int64_t used(const struct usage *usage, const struct combination *combination) {
    int64_t all = 0;
    for (int i = 0; i < MATRICES; i++)
        all +=
            usage->layout[i][combination->layout[i]] + usage->replicas[i][combination->replicas[i]];
    return all;
}

/* Chooses the combination to be timed next: of those that are left, the one whose layouts and
 * numbers of replicas have been timed least often; at random among equals. */
static int64_t choose(const struct args *args, const struct usage *usage, const bool *taken) {
    const struct source source = {.seed = (uint64_t)args->seed};
    int64_t best = -1, best_used = 0, best_draw = 0;
    for (int64_t number = 0; number < count_all(args); number++) {
        struct combination combination = combination_of(args, number);
        int64_t uses = used(usage, &combination);
        int64_t draw = source_draw(&source, MATRICES, number, INT64_MAX);
        if (taken[number] ||
            (best >= 0 && (uses > best_used || (uses == best_used && draw >= best_draw))))
            continue;
        best = number;
        best_used = uses;
        best_draw = draw;
    }
    return best;
}

static void sample(const struct args *args, bool *taken, struct sweep *sweep) {
    struct usage usage = {.layout = {{0}}};
    for (int64_t at = 0; at < sweep->count; at++) {
        int64_t number = choose(args, &usage, taken);
        struct combination combination = combination_of(args, number);
        taken[number] = true;
        for (int i = 0; i < MATRICES; i++) {
            usage.layout[i][combination.layout[i]]++;
            usage.replicas[i][combination.replicas[i]]++;
        }
        sweep->combinations[at] = combination;
    }
}

static void sweep_destroy(struct sweep *sweep) {
    free(sweep->combinations);
}

/* All combinations, or --sample of them; reports errors. */
static enum code sweep_create(const struct args *args, struct sweep *sweep) {
    int64_t all = count_all(args);
    if (all > MOST) {
        report_error("--layouts and --replicas make %" PRId64 " combinations; allowed: %d", all,
                     MOST);
        return CODE_USAGE;
    }
    *sweep = (struct sweep){.count = args->sample > 0 && args->sample < all ? args->sample : all};
    sweep->combinations = calloc((size_t)sweep->count, sizeof *sweep->combinations);
    bool *taken = calloc((size_t)all, sizeof *taken);
    bool made = sweep->combinations && taken;
    if (made && sweep->count < all)
        sample(args, taken, sweep);
    else if (made)
        for (int64_t number = 0; number < all; number++)
            sweep->combinations[number] = combination_of(args, number);
    free(taken);
    if (made)
        return CODE_DONE;
    sweep_destroy(sweep);
    report_error("no memory for %" PRId64 " combinations", all);
    return CODE_FAILED;
}

static void sweep_text(const struct args *args, const struct combination *combination, int matrix,
                       char text[SWEEP_TEXT]) {
    const char *layout = args->layouts.item[combination->layout[matrix]].word;
    int64_t replicas = args->replicas.item[combination->replicas[matrix]].number;
    int base = (int)strcspn(layout, "%/");
    if (replicas == 1)
        snprintf(text, SWEEP_TEXT, "%s", layout);
    else
        snprintf(text, SWEEP_TEXT, "%.*s*%" PRId64 "%s", base, layout, replicas, layout + base);
}

/* ---- The sweep ---- */

struct bench {
    const struct args *args;
    struct sweep sweep;
    struct point *points;
    struct text_file picture;
    int width;                /* of the columns of layouts */
    double peak;              /* of all ranks in FLOP/s; 0: unknown */
    char peak_text[200];      /* names the machine and its peak; "" if unknown */
    int64_t failed;           /* number of failed combinations */
    char reason[REPORT_TEXT]; /* reason of the first failure */
};

/* One problem of the sweep. Its args point to its own layouts, so it must not be moved. */
struct entry {
    struct args args;
    char layout[MATRICES][SWEEP_TEXT];
    int64_t stay; /* as requested; may be STAY_BEST */
};

static int64_t count_partitionings(const struct bench *bench) {
    return bench->sweep.count * bench->args->stays.count;
}

static int64_t count_points(const struct bench *bench) {
    return bench->args->shapes.count * count_partitionings(bench);
}

static void set_up(const struct bench *bench, int64_t index, struct entry *entry) {
    int64_t partitionings = count_partitionings(bench), stays = bench->args->stays.count;
    entry->args = *bench->args;
    entry->args.shape = bench->args->shapes.item[index / partitionings].shape;
    entry->stay = bench->args->stays.item[index % stays].number;
    entry->args.stay = entry->stay == STAY_BEST ? SCT_STAY_AUTO : entry->stay;
    entry->args.layouts_from = "--layouts";
    for (int i = 0; i < MATRICES; i++) {
        sweep_text(bench->args, &bench->sweep.combinations[index % partitionings / stays], i,
                   entry->layout[i]);
        entry->args.layout[i] = entry->layout[i];
    }
}

static enum code check(const struct entry *entry) {
    struct problem problem;
    sct_plan *plan = NULL;
    enum code code = problem_create(&entry->args, &problem);
    if (code != CODE_DONE)
        return code;
    code = report_code(sct_plan_create(&problem.value, 0, &problem.options, &plan));
    if (code == CODE_USAGE)
        report_error("%s", sct_last_reason());
    sct_plan_destroy(plan);
    problem_destroy(&problem);
    /* Any other failure is that of the combination, which reports it when it runs. */
    return code == CODE_USAGE ? code : CODE_DONE;
}

/* Reports an error of one of several shapes. */
static void report_shape(const struct entry *entry, const char *reason) {
    char shape[SHAPE_TEXT];
    args_shape_text(&entry->args.shape, shape);
    if (entry->args.shapes.count > 1)
        report_error("%s: %s", shape, reason);
    else
        report_lines(reason);
}

/* Checks all layouts and plans before any is run, so that a wrong flag shows at once. */
static enum code check_all(const struct bench *bench) {
    enum code code = CODE_DONE;
    for (int64_t i = 0; i < count_points(bench) && code == CODE_DONE; i++) {
        struct entry entry;
        char reason[REPORT_TEXT];
        bool kept = report_keep(true);
        set_up(bench, i, &entry);
        code = check(&entry);
        report_take(reason);
        report_keep(kept);
        if (code != CODE_DONE)
            report_shape(&entry, reason);
    }
    return code;
}

/* Finds the fastest stationary matrix, by --repeat executions. */
static enum code find_best(struct problem *problem) {
    const struct args *asked = problem->args;
    struct args args = *asked;
    sct_stay fastest = SCT_STAY_AUTO;
    double best = INFINITY;
    enum code code = CODE_DONE;
    args.reference = false;
    problem->args = &args;
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C && code == CODE_DONE; stay++) {
        struct outcome outcome;
        problem->options.stay = (sct_stay)stay;
        problem->options.work = NULL;
        code = experiment_run(problem, NULL, &outcome);
        if (code == CODE_DONE && outcome.sum.seconds < best) {
            best = outcome.sum.seconds;
            fastest = (sct_stay)stay;
        }
    }
    problem->args = asked;
    problem->options.stay = fastest;
    return code;
}

/* The speed of the product relative to the peak of all ranks; NaN if that is unknown. */
static double percent_of_peak(const struct bench *bench, const struct entry *entry,
                              const struct outcome *outcome) {
    double flops = product_gflops(&entry->args, outcome->sum.seconds) * 1e9;
    return bench->peak > 0 ? 100 * flops / bench->peak : NAN;
}

static enum quantity quantity_of(const struct bench *bench) {
    return bench->peak > 0          ? QUANTITY_PERCENT
           : bench->args->reference ? QUANTITY_RATIO
                                    : QUANTITY_GFLOPS;
}

/* Wide enough for the longest layout, except for layouts of more than 40 characters. */
static int column_width(const struct args *args) {
    int width = 16;
    for (int i = 0; i < args->layouts.count; i++)
        for (int j = 0; j < args->replicas.count; j++) {
            char text[SWEEP_TEXT];
            sweep_text(args, &(struct combination){.layout = {i}, .replicas = {j}}, 0, text);
            if (strlen(text) <= 40 && (int)strlen(text) > width)
                width = (int)strlen(text);
        }
    return width;
}

static void print_head(const struct bench *bench) {
    int width = bench->width;
    printf("%-20s %-*s %-*s %-*s %-24s %11s %8s %14s %14s", "shape", width, "A", width, "B", width,
           "C", "work", "seconds", "GFLOP/s", "bytes gathered", "accumulated");
    if (bench->peak > 0)
        printf("  %% of peak");
    if (bench->args->reference)
        printf("  ratio (low to high)    outside GEMM");
    putchar('\n');
}

/* Begins a line of the table. */
static void print_entry(const struct bench *bench, const struct entry *entry) {
    char text[SHAPE_TEXT];
    args_shape_text(&entry->args.shape, text);
    printf("%-20s ", text);
    for (int i = 0; i < MATRICES; i++)
        printf("%-*s ", bench->width, entry->layout[i]);
}

/* The stationary matrix, or the work layout and the matrix whose shape it has. */
static void print_work(const struct problem *problem, sct_stay stay) {
    char text[SWEEP_TEXT];
    if (problem->options.work)
        snprintf(text, sizeof text, "%s of %s", problem->work_text, sct_stay_name(stay));
    else
        snprintf(text, sizeof text, "stationary %s", sct_stay_name(stay));
    printf("%-24s", text);
}

static void print_ratio(const struct outcome *outcome) {
    printf("  %.3f (%.3f to %.3f)", outcome->ratio.median, outcome->ratio.low, outcome->ratio.high);
    if (isfinite(outcome->cpu_outside_gemm))
        printf(" %10.1f %%", 100 * outcome->cpu_outside_gemm);
    if (outcome->oversubscribed)
        printf(" oversubscribed");
}

static void print_row(const struct bench *bench, const struct entry *entry,
                      const struct problem *problem, const struct outcome *outcome) {
    const struct args *args = &entry->args;
    print_entry(bench, entry);
    print_work(problem, outcome->product.stay);
    printf(" %11.6g %8.4g %14" PRIu64 " %14" PRIu64, outcome->sum.seconds,
           product_gflops(args, outcome->sum.seconds), outcome->product.planned.bytes_gathered,
           outcome->sum.traffic.bytes_accumulated);
    if (bench->peak > 0)
        printf("  %9.3g", percent_of_peak(bench, entry, outcome));
    if (args->reference)
        print_ratio(outcome);
    putchar('\n');
}

static void begin_json(const struct entry *entry, bool ok, struct json *json) {
    static const char *const names[] = {"auto", "a", "b", "c", "best"};
    json_begin(json, stdout);
    json_bool(json, "ok", ok);
    json_text(json, "stay_asked", names[entry->stay]);
}

static void print_json(const struct bench *bench, const struct entry *entry,
                       const struct problem *problem, const struct outcome *outcome) {
    struct json json;
    begin_json(entry, true, &json);
    outcome_json(problem, outcome, &json);
    json_real(&json, "percent_of_peak", percent_of_peak(bench, entry, outcome));
    json_end_result(&json);
}

static void print_failure(const struct bench *bench, const struct entry *entry,
                          const struct problem *problem, const char *reason) {
    struct json json;
    if (!entry->args.json) {
        print_entry(bench, entry);
        printf("failed: %.*s\n", (int)strcspn(reason, "\n"), reason);
        return;
    }
    begin_json(entry, false, &json);
    problem_json(problem, (sct_stay)entry->args.stay, &json);
    json_text(&json, "reason", reason);
    json_end_result(&json);
}

/* What distinguishes points with the same layouts: the requested stationary matrix. */
static const char *stay_note(const struct entry *entry) {
    static const char *const notes[] = {"", "; stationary A", "; stationary B", "; stationary C",
                                        ""};
    return notes[entry->stay];
}

static void name_point(const struct entry *entry, struct point *point) {
    snprintf(point->name, sizeof point->name, "%.100s, %.100s, %.100s%s", entry->layout[MATRIX_A],
             entry->layout[MATRIX_B], entry->layout[MATRIX_C], stay_note(entry));
    point->value = point->low = point->high = NAN;
}

static void set_point(const struct bench *bench, const struct entry *entry,
                      const struct outcome *outcome, struct point *point) {
    enum quantity quantity = quantity_of(bench);
    point->stay = outcome->product.stay;
    point->value = quantity == QUANTITY_PERCENT ? percent_of_peak(bench, entry, outcome)
                   : quantity == QUANTITY_RATIO
                       ? outcome->ratio.median
                       : product_gflops(&entry->args, outcome->sum.seconds);
    point->low = point->high = point->value;
    if (quantity == QUANTITY_RATIO) {
        point->low = outcome->ratio.low;
        point->high = outcome->ratio.high;
    }
}

/* Collective: runs one problem. A failure does not end the sweep; its reason is set
 * on rank 0 alone. */
static enum code attempt(const struct entry *entry, struct problem *problem,
                         struct outcome *outcome, char reason[REPORT_TEXT]) {
    bool kept = report_keep(true);
    enum code code = entry->stay == STAY_BEST ? find_best(problem) : CODE_DONE;
    if (code == CODE_DONE)
        code = experiment_run(problem, NULL, outcome);
    if (code == CODE_DONE && !outcome_ok(outcome))
        code = CODE_FAILED;
    code = rank_group_forgive(entry->args.group, code);
    report_take(reason);
    report_keep(kept);
    return code;
}

/* Runs one problem and reports it. Fails only if output cannot be written. */
static enum code measure_problem(struct bench *bench, const struct entry *entry,
                                 struct problem *problem, struct point *point) {
    struct outcome outcome;
    char reason[REPORT_TEXT];
    enum code code = attempt(entry, problem, &outcome, reason);
    report_clear();
    name_point(entry, point);
    if (code != CODE_DONE) {
        print_failure(bench, entry, problem, reason);
        if (bench->failed++ == 0)
            memcpy(bench->reason, reason, sizeof reason);
    } else {
        if (entry->args.json)
            print_json(bench, entry, problem, &outcome);
        else
            print_row(bench, entry, problem, &outcome);
        set_point(bench, entry, &outcome, point);
    }
    return rank_group_agree(entry->args.group, report_flush() ? CODE_DONE : CODE_FAILED);
}

static enum code measure(struct bench *bench, const struct entry *entry, struct point *point) {
    struct problem problem;
    enum code code = problem_create(&entry->args, &problem);
    bool made = code == CODE_DONE;
    code = rank_group_agree(entry->args.group, code);
    if (code == CODE_DONE)
        code = measured_work_decide(&problem);
    if (code == CODE_DONE)
        code = measure_problem(bench, entry, &problem, point);
    if (made)
        problem_destroy(&problem);
    return code;
}

static enum code measure_all(struct bench *bench) {
    int64_t count = count_points(bench);
    enum code code = check_all(bench);
    if (code == CODE_DONE && !bench->args->json)
        print_head(bench);
    for (int64_t i = 0; i < count && code == CODE_DONE; i++) {
        struct entry entry;
        report_progress("combinations", i, count);
        set_up(bench, i, &entry);
        code = measure(bench, &entry, &bench->points[i]);
    }
    report_clear();
    return code;
}

static bool draw(const struct bench *bench) {
    struct chart chart = {bench->args, quantity_of(bench), bench->peak_text, bench->points,
                          count_partitionings(bench)};
    return chart_draw(&chart, bench->picture.out);
}

static enum code bench_sweep(struct bench *bench) {
    enum code code = text_file_open(rank_group_leads(bench->args->group) ? bench->args->svg : NULL,
                                    &bench->picture);
    bench->points = calloc((size_t)count_points(bench), sizeof *bench->points);
    if (code == CODE_DONE && !bench->points) {
        report_error("no memory for %" PRId64 " combinations", count_points(bench));
        code = CODE_FAILED;
    }
    if (code == CODE_DONE)
        code = measure_all(bench);
    if (code == CODE_DONE && bench->picture.out && !draw(bench))
        code = CODE_FAILED;
    free(bench->points);
    code = text_file_close(code, &bench->picture);
    if (code != CODE_DONE || bench->failed == 0)
        return code;
    report_error("%" PRId64 " of %" PRId64 " combination%s failed; the first: %.*s", bench->failed,
                 count_points(bench), count_points(bench) == 1 ? "" : "s",
                 (int)strcspn(bench->reason, "\n"), bench->reason);
    return CODE_FAILED;
}

static enum code find_peak(struct bench *bench) {
    const double tera = 1e12;
    const struct args *args = bench->args;
    const sct_machine *machine;
    enum code code = problem_machine(args, &machine);
    if (machine)
        bench->peak = (double)args->ranks * sct_machine_peak(machine, (sct_type)args->type);
    if (bench->peak > 0)
        snprintf(bench->peak_text, sizeof bench->peak_text, " of %s, with a peak of %.4g %s",
                 sct_machine_name(machine), bench->peak * (bench->peak < tera ? 1e-9 : 1e-12),
                 bench->peak < tera ? "GFLOP/s" : "TFLOP/s");
    return code;
}

enum code bench_work(const struct args *args) {
    struct bench bench = {.args = args, .width = column_width(args)};
    enum code code = rank_group_agree(args->group, host_check_limits(args));
    if (code == CODE_DONE)
        code = find_peak(&bench);
    if (code == CODE_DONE)
        code = sweep_create(args, &bench.sweep);
    if (code != CODE_DONE)
        return code;
    code = bench_sweep(&bench);
    sweep_destroy(&bench.sweep);
    return code;
}
