/* bench.c - the verb bench: sweeps shapes, layouts, replicas and what stays. */
#include "chart.h"
#include "experiment.h"
#include "sheet.h"
#include "sweep.h"
#include "team.h"
#include "verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct bench {
    const struct args *args;
    struct sweep sweep;
    struct point *points;
    struct sheet picture;
    double peak;         /* of all ranks, in FLOP/s; 0: not known */
    char peak_text[200]; /* whose it is, and how much; "" */
};

/* One problem of the sweep. Its args point to its texts. */
struct entry {
    struct args args;
    char layout[MATRICES][SWEEP_TEXT];
    int64_t stay; /* as asked for: STAY_BEST is one */
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
    sct_status status = sct_plan_create(&problem.value, 0, &problem.options, &plan);
    if (status != SCT_OK)
        report_error("%s", sct_last_reason());
    sct_plan_destroy(plan);
    problem_destroy(&problem);
    return report_code(status);
}

/* So that a sweep of hours does not end with a layout, or a plan, that cannot be. */
static enum code check_all(const struct bench *bench) {
    enum code code = CODE_DONE;
    for (int64_t i = 0; i < count_points(bench) && code == CODE_DONE; i++) {
        struct entry entry;
        set_up(bench, i, &entry);
        code = check(&entry);
    }
    return code;
}

/* Sets entry->args.stay to the fastest, as far as --repeat executions tell. */
static enum code find_best(struct entry *entry) {
    struct args args = entry->args;
    double best = INFINITY;
    enum code code = CODE_DONE;
    args.reference = false;
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C && code == CODE_DONE; stay++) {
        struct problem problem;
        struct outcome outcome;
        args.stay = stay;
        code = problem_create(&args, &problem);
        if (code == CODE_DONE) {
            code = experiment_run(&problem, &outcome);
            problem_destroy(&problem);
        }
        if (code == CODE_DONE && outcome.sum.seconds < best) {
            best = outcome.sum.seconds;
            entry->args.stay = stay;
        }
    }
    return code;
}

/* NaN: not known. */
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

static void print_head(const struct bench *bench) {
    printf("%-20s %-16s %-16s %-16s stay %11s %8s %14s %14s", "shape", "A", "B", "C", "seconds",
           "GFLOP/s", "bytes gathered", "accumulated");
    if (bench->peak > 0)
        printf("  %% of peak");
    if (bench->args->reference)
        printf("  ratio (low to high)    outside GEMM");
    putchar('\n');
}

static void print_row(const struct bench *bench, const struct entry *entry,
                      const struct outcome *outcome) {
    const struct args *args = &entry->args;
    char shape[80];
    snprintf(shape, sizeof shape, "%" PRId64 "x%" PRId64 "x%" PRId64, args->shape.m, args->shape.n,
             args->shape.k);
    printf("%-20s %-16s %-16s %-16s %-4c %11.6g %8.4g %14" PRIu64 " %14" PRIu64, shape,
           entry->layout[MATRIX_A], entry->layout[MATRIX_B], entry->layout[MATRIX_C],
           "?abc"[outcome->product.stay], outcome -> sum.seconds,
           product_gflops(args, outcome->sum.seconds), outcome->product.planned.bytes_gathered,
           outcome->sum.traffic.bytes_accumulated);
    if (bench->peak > 0)
        printf("  %9.3g", percent_of_peak(bench, entry, outcome));
    if (args->reference)
        printf("  %.3f (%.3f to %.3f) %10.1f %%%s", outcome->ratio.median, outcome->ratio.low,
               outcome->ratio.high, 100 * outcome->cpu_outside_gemm,
               outcome->oversubscribed ? " oversubscribed" : "");
    putchar('\n');
}

static void print_json(const struct bench *bench, const struct entry *entry,
                       const struct problem *problem, const struct outcome *outcome) {
    static const char *const names[] = {"auto", "a", "b", "c", "best"};
    struct json json;
    json_begin(&json, stdout);
    json_bool(&json, "ok", outcome_ok(outcome));
    json_text(&json, "stay_asked", names[entry->stay]);
    outcome_json(problem, outcome, &json);
    json_real(&json, "percent_of_peak", percent_of_peak(bench, entry, outcome));
    json_end(&json);
}

/* Tells partitionings apart that differ in what was asked to stay. */
static const char *stay_note(const struct entry *entry) {
    static const char *const notes[] = {"", "; A stays", "; B stays", "; C stays", ""};
    return notes[entry->stay];
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
    snprintf(point->name, sizeof point->name, "%.100s, %.100s, %.100s%s", entry->layout[MATRIX_A],
             entry->layout[MATRIX_B], entry->layout[MATRIX_C], stay_note(entry));
}

static enum code measure(const struct bench *bench, const struct entry *entry,
                         struct point *point) {
    struct problem problem;
    struct outcome outcome;
    enum code code = problem_create(&entry->args, &problem);
    if (code != CODE_DONE)
        return code;
    code = experiment_run(&problem, &outcome);
    if (code == CODE_DONE) {
        report_clear();
        if (entry->args.json)
            print_json(bench, entry, &problem, &outcome);
        else
            print_row(bench, entry, &outcome);
        set_point(bench, entry, &outcome, point);
        code = report_flush() && outcome_ok(&outcome) ? CODE_DONE : CODE_FAILED;
    }
    problem_destroy(&problem);
    return team_agree(entry->args.team, code);
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
        if (entry.stay == STAY_BEST)
            code = find_best(&entry);
        if (code == CODE_DONE)
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

/* With the sweep made. */
static enum code bench_sweep(struct bench *bench) {
    enum code code =
        sheet_open(team_leads(bench->args->team) ? bench->args->svg : NULL, &bench->picture);
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
    return sheet_close(code, &bench->picture);
}

static enum code find_peak(struct bench *bench) {
    const double tera = 1e12;
    const struct args *args = bench->args;
    sct_machine *machine = NULL;
    enum code code = problem_machine(args, &machine);
    if (machine)
        bench->peak = (double)args->ranks * sct_machine_peak(machine, (sct_type)args->type);
    if (bench->peak > 0)
        snprintf(bench->peak_text, sizeof bench->peak_text, " of %s, with a peak of %.4g %s",
                 sct_machine_name(machine), bench->peak * (bench->peak < tera ? 1e-9 : 1e-12),
                 bench->peak < tera ? "GFLOP/s" : "TFLOP/s");
    sct_machine_destroy(machine);
    return code;
}

enum code bench_work(const struct args *args) {
    struct bench bench = {.args = args};
    enum code code = find_peak(&bench);
    if (code == CODE_DONE)
        code = sweep_create(args, &bench.sweep);
    if (code != CODE_DONE)
        return code;
    code = bench_sweep(&bench);
    sweep_destroy(&bench.sweep);
    return code;
}
