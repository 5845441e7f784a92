/* rank_results.c - what the ranks of an experiment have found, and what that comes to. */
#include "run/rank_results.h"

#include "ranks/blas_threads.h"
#include "ranks/rank_group.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const round_names[] = {"exact", "bound"};

bool tally_create(const struct problem *problem, const struct product *product, int executions,
                  struct tally *tally) {
    size_t count = (size_t)executions, ranks = (size_t)product->ranks;
    *tally = (struct tally){.problem = problem, .product = product, .executions = executions};
    tally->measures = calloc(ranks * count, sizeof *tally->measures);
    tally->findings = calloc(ranks, sizeof *tally->findings);
    tally->sums = calloc(count, sizeof *tally->sums);
    tally->numbers = calloc(2 * count, sizeof *tally->numbers);
    return tally->measures && tally->findings && tally->sums && tally->numbers;
}

void tally_destroy(struct tally *tally) {
    free(tally->measures);
    free(tally->findings);
    free(tally->sums);
    free(tally->numbers);
}

struct measure *tally_measure(const struct tally *tally, int rank, int execution) {
    return &tally->measures[(size_t)rank * (size_t)tally->executions + (size_t)execution];
}

enum code tally_gather(struct tally *tally, enum code code) {
    struct team *team = tally->problem->args->team;
    code = team_gather(team, code, tally->measures,
                       (size_t)tally->executions * sizeof *tally->measures);
    return team_gather(team, code, tally->findings, sizeof *tally->findings);
}

static int by_seconds(const void *x, const void *y) {
    const struct measure *a = x, *b = y;
    return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* The bytes of one execution, and whether they are as planned. */
static void sum_up(struct tally *tally, struct number alpha, struct outcome *outcome) {
    /* Then nothing is multiplied, which plans do not know. */
    bool idle = alpha.re == 0 && alpha.im == 0;
    outcome->as_planned = true;
    for (int i = 0; i < tally->executions; i++) {
        struct measure *sum = &tally->sums[i];
        for (int rank = 0; rank < tally->product->ranks; rank++)
            measure_add(sum, tally_measure(tally, rank, i));
        outcome->as_planned =
            outcome->as_planned && (idle || product_as_planned(tally->product, sum));
    }
    if (!outcome->as_planned)
        report_error("the bytes moved are not those of the plan");
    outcome->sum = tally->sums[0];
}

/* Sorts the times. */
static void find_median(struct tally *tally, struct outcome *outcome) {
    qsort(tally->sums + 1, (size_t)tally->executions - 1, sizeof *tally->sums, by_seconds);
    outcome->sum.seconds = tally->sums[tally->executions / 2].seconds;
}

/* The processor time that is known is that of the ranks' own threads. */
static double outside_gemm(const struct tally *tally) {
    double whole = 0, alone = 0;
    for (int rank = 0; rank < tally->product->ranks; rank++) {
        whole += tally->findings[rank].cpu_whole;
        alone += tally->findings[rank].cpu_alone;
    }
    bool known = blas_threads() == 1 && !tally->problem->args->deferred && whole > 0;
    return known ? 1 - alone / whole : NAN;
}

/* Before the times are sorted: those of a pair belong together. */
static void relate(const struct tally *tally, struct outcome *outcome) {
    double *seconds = tally->numbers, *ratios = tally->numbers + tally->executions;
    for (int i = 1; i < tally->executions; i++) {
        seconds[i] = tally->sums[i].blas_seconds;
        ratios[i] = seconds[i] / tally->sums[i].seconds;
    }
    outcome->ratio = ratio_of(ratios + 1, outcome->timed);
    outcome->blas_seconds = ratio_of(seconds + 1, outcome->timed).median;
    outcome->cpu_outside_gemm = outside_gemm(tally);
}

/* Adds up what the ranks found; says what the first one found wrong. */
static struct verdict judge(const struct tally *tally, int round) {
    const char *name = round_names[round];
    struct verdict all = {.checked = 0};
    for (int rank = 0; rank < tally->product->ranks; rank++) {
        const struct verdict *verdict = &tally->findings[rank].verdicts[round];
        if (verdict->wrong > 0 && all.wrong == 0)
            report_error("%s check: C[%" PRId64 ", %" PRId64
                         "] of rank %d is %.17g,%.17g and should be %.17g,%.17g",
                         name, verdict->place.row, verdict->place.col, rank, verdict->is.re,
                         verdict->is.im, verdict->was.re, verdict->was.im);
        all.checked += verdict->checked;
        all.wrong += verdict->wrong;
        all.worst = fmax(all.worst, verdict->worst);
    }
    if (all.wrong > 0)
        report_error("%s check: %" PRId64 " of %" PRId64 " elements are wrong", name, all.wrong,
                     all.checked);
    return all;
}

static int64_t count_parts(const struct tally *tally) {
    int64_t all = 0;
    for (int rank = 0; rank < tally->product->ranks; rank++)
        all += (int64_t)problem_stored(tally->problem, rank);
    return all;
}

void tally_conclude(struct tally *tally, struct number alpha, struct outcome *outcome) {
    outcome->product = *tally->product;
    outcome->product.plans = NULL;
    outcome->timed = tally->executions - 1;
    outcome->parts = count_parts(tally);
    for (int round = 0; round < ROUNDS; round++)
        outcome->verdicts[round] = judge(tally, round);
    sum_up(tally, alpha, outcome);
    if (tally->problem->args->reference)
        relate(tally, outcome);
    find_median(tally, outcome);
}
