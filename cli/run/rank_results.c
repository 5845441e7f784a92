/* rank_results.c - combines the results of the ranks into the outcome of an experiment. */
#include "run/rank_results.h"

#include "ranks/rank_group.h"
#include "ranks/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const round_names[] = {[EXACT] = "exact", [BOUND] = "bound"};

bool rank_results_create(const struct problem *problem, const struct product *product,
                         int executions, struct rank_results *results) {
    size_t count = (size_t)executions, ranks = (size_t)product->ranks;
    *results =
        (struct rank_results){.problem = problem, .product = product, .executions = executions};
    results->measures = calloc(ranks * count, sizeof *results->measures);
    results->findings = calloc(ranks, sizeof *results->findings);
    results->sums = calloc(count, sizeof *results->sums);
    results->numbers = calloc(2 * count, sizeof *results->numbers);
    return results->measures && results->findings && results->sums && results->numbers;
}

void rank_results_destroy(struct rank_results *results) {
    free(results->measures);
    free(results->findings);
    free(results->sums);
    free(results->numbers);
}

struct measure *rank_results_measure(const struct rank_results *results, int rank, int execution) {
    return &results->measures[(size_t)rank * (size_t)results->executions + (size_t)execution];
}

enum code rank_results_gather(struct rank_results *results, enum code code) {
    struct rank_group *group = results->problem->args->group;
    code = rank_group_gather(group, code, results->measures,
                             (size_t)results->executions * sizeof *results->measures);
    return rank_group_gather(group, code, results->findings, sizeof *results->findings);
}

static int by_seconds(const void *x, const void *y) {
    const struct measure *a = x, *b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* Sums each execution over the ranks, and compares its bytes with the plans. */
static void sum_up(struct rank_results *results, struct number alpha, struct outcome *outcome) {
    /* With alpha 0 nothing is multiplied or moved, but plans do not know alpha. */
    bool idle = alpha.re == 0 && alpha.im == 0;
    outcome->as_planned = true;
    for (int i = 0; i < results->executions; i++) {
        struct measure *sum = &results->sums[i];
        for (int rank = 0; rank < results->product->ranks; rank++)
            measure_add(sum, rank_results_measure(results, rank, i));
        outcome->as_planned =
            outcome->as_planned && (idle || product_as_planned(results->product, sum));
    }
    if (!outcome->as_planned)
        report_error("the bytes moved are not those of the plan");
    outcome->sum = results->sums[0];
}

/* Finds the median time of the timed executions, and sorts them by it. */
static void find_median(struct rank_results *results, struct outcome *outcome) {
    qsort(results->sums + 1, (size_t)results->executions - 1, sizeof *results->sums, by_seconds);
    outcome->sum.seconds = results->sums[results->executions / 2].seconds;
}

/* The share of processor time outside GEMM. It is unknown where others than the threads of the
 * ranks compute: the BLAS with threads of its own, devices. */
static double outside_gemm(const struct rank_results *results) {
    double whole = 0, alone = 0;
    for (int rank = 0; rank < results->product->ranks; rank++) {
        whole += results->findings[rank].cpu_whole;
        alone += results->findings[rank].cpu_alone;
    }
    const struct args *args = results->problem->args;
    bool known = system_blas_threads() == 1 && args_computes_on_host(args) && whole > 0;
    return known ? 1 - alone / whole : NAN;
}

/* Finds the ratio. Must come before find_median, which sorts the executions: each execution is
 * compared with the BLAS call right before it. */
static void relate(const struct rank_results *results, struct outcome *outcome) {
    double *seconds = results->numbers, *ratios = results->numbers + results->executions;
    for (int i = 1; i < results->executions; i++) {
        seconds[i] = results->sums[i].blas_seconds;
        ratios[i] = seconds[i] / results->sums[i].seconds;
    }
    outcome->ratio = ratio_of(ratios + 1, outcome->timed);
    outcome->blas_seconds = ratio_of(seconds + 1, outcome->timed).median;
    outcome->cpu_outside_gemm = outside_gemm(results);
}

/* Combines what the ranks found in one check; reports the first wrong element. */
static struct verdict judge(const struct rank_results *results, int round) {
    const char *name = round_names[round];
    struct verdict all = {.checked = 0};
    for (int rank = 0; rank < results->product->ranks; rank++) {
        const struct verdict *verdict = &results->findings[rank].verdicts[round];
        if (verdict->wrong > 0 && all.wrong == 0)
            report_error("%s check: C[%" PRId64 ", %" PRId64
                         "] of rank %d is %.17g,%.17g but should be %.17g,%.17g",
                         name, verdict->place.row, verdict->place.col, rank, verdict->is.re,
                         verdict->is.im, verdict->was.re, verdict->was.im);
        all.checked += verdict->checked;
        all.wrong += verdict->wrong;
        all.worst = fmax(all.worst, verdict->worst);
    }
    if (all.wrong > 0)
        report_error("%s check: %" PRId64 " of %" PRId64 " element%s %s wrong", name, all.wrong,
                     all.checked, all.checked == 1 ? "" : "s", all.wrong == 1 ? "is" : "are");
    return all;
}

static int64_t count_parts(const struct rank_results *results) {
    int64_t all = 0;
    for (int rank = 0; rank < results->product->ranks; rank++)
        all += (int64_t)problem_stored(results->problem, rank);
    return all;
}

void rank_results_conclude(struct rank_results *results, struct number alpha,
                           struct outcome *outcome) {
    outcome->product = *results->product;
    outcome->product.plans = NULL;
    outcome->timed = results->executions - 1;
    outcome->parts = count_parts(results);
    for (int round = 0; round < ROUNDS; round++)
        outcome->verdicts[round] = judge(results, round);
    sum_up(results, alpha, outcome);
    if (results->problem->args->reference)
        relate(results, outcome);
    find_median(results, outcome);
}

bool outcome_ok(const struct outcome *outcome) {
    return outcome->as_planned && outcome->verdicts[EXACT].wrong == 0 &&
           outcome->verdicts[BOUND].wrong == 0;
}

static void json_reference(const struct outcome *outcome, struct json *json) {
    json_real(json, "blas_seconds", outcome->blas_seconds);
    json_real(json, "ratio", outcome->ratio.median);
    json_real(json, "ratio_low", outcome->ratio.low);
    json_real(json, "ratio_high", outcome->ratio.high);
    json_whole(json, "pairs", outcome->timed);
    json_bool(json, "oversubscribed", outcome->oversubscribed);
    json_real(json, "cpu_outside_gemm", outcome->cpu_outside_gemm);
    json_whole(json, "blas_memory", outcome->blas_memory);
}

void outcome_json(const struct problem *problem, const struct outcome *outcome, struct json *json) {
    const struct args *args = problem->args;
    problem_json(problem, outcome->product.stay, json);
    product_json(&outcome->product, args, &outcome->sum, json);
    json_real(json, "max_error_over_bound", args->check ? outcome->verdicts[BOUND].worst : NAN);
    if (args->check) {
        json_whole(json, "checked_exactly", outcome->verdicts[EXACT].checked);
        json_whole(json, "checked_by_bound", outcome->verdicts[BOUND].checked);
    }
    if (args->reference)
        json_reference(outcome, json);
    peak_json(&outcome->peak, json);
    json_whole(json, "parts_memory", outcome->parts);
    json_whole(json, "seed", args->seed);
    json_whole(json, "repeat", outcome->timed);
}
