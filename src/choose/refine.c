/* refine.c - tries slicings and orders in the simulator: how long ranks are blocked depends on
 * them, and no estimate shows it.
 *
 * Each variant is simulated on a few ranks, one by one. Then the default and the fastest other
 * variant are simulated on all ranks together, within a limit on work. */
#include "choose/search.h"
#include "planner/planner.h"

#include "base/checked.h"
#include "forecast/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* choose/search.h says how to read the figures in the comments on constants. */

/* Ranks simulated singly. Their total work is limited, except that of the first. With 1 on cluster:
 * 1.000; on 64 and 128 ranks 1.007 and 1.009. With 8: 1.000. Without a limit: the same choices, but
 * up to twice the time to search where memory is scarce. */
enum { SAMPLE = 4, SAMPLE_WORK = 4000 };
/* The limit on the work of simulating all ranks; it grows with their number, within these bounds.
 * With a quarter: 1.025, 1.000, 1.000. With six times as much: 0.996, 1.000, 1.000, in up to 1.15
 * times the time to search. */
static const double work_of_each = 2700, least_work = 170000, most_work = 4300000;
/* Variants of a choice simulated on all ranks. With 1: 1.059, 1.025, 1.020. With 4: 0.998, 1.000,
 * 1.000, in 1.1 times the time to search. */
enum { MAX_SIMULATED_TOGETHER = 2 };
/* A variant replaces the default if it takes less than this share of its time: simulated on all
 * ranks, or on single ranks, which ignore contention. Together with 0.9: 1.003, 1.009, 1.006. With
 * 1: 0.997, 0.994, 0.998; but every second choice would need another slicing or order than the
 * default. Single with 0.95: 1.016 on 64 ranks of cluster, and 1.035 on 128. */
static const double margin_together = 0.95, margin_single = 0.9;
/* Assumed: all ranks together take this many times as long as single ranks. With 1: 1.003, 1.000,
 * 1.000. With 1.5: 1.000. */
static const double contention = 1.2;
/* The most steps with which an order is tried: exhaustive, by cost. Without exhaustive
 * order: 1.000, 1.013, 1.006. Without order by cost: 1.004, 1.000, 1.000; with 256 or 8192: 1.000.
 */
enum { FEW_STEPS = 6, MANY_STEPS = 2048 };

/* A variant and its simulated seconds; infinite if it cannot be made or is rejected. */
typedef struct sct_variant {
    sct_slicing slicing;
    sct_schedule schedule;
    sct_sim_result trial;
} sct_variant;

/* The orders that are tried with each slicing; the first is the default. Greedy order is not among
 * them: order by cost takes no longer. */
static const struct {
    sct_schedule schedule;
    int64_t most_steps;
} tried_orders[] = {{SCT_DIRECT, INT64_MAX}, {SCT_COST, MANY_STEPS}, {SCT_EXHAUSTIVE, FEW_STEPS}};
enum { ORDERS = sizeof tried_orders / sizeof *tried_orders };
enum { VARIANTS = (SCT_SLICE_TILE + 1) * ORDERS };

typedef struct sct_variants {
    int count;
    sct_variant variant[VARIANTS]; /* the default first */
} sct_variants;

static sct_options options_of(const sct_search_context *context, const sct_layout_triple *triple,
                              const sct_variant *variant) {
    sct_options options = context->options;
    options.stay = (sct_stay)(SCT_STAY_A + triple->shape);
    options.work = triple->work;
    options.slicing = variant->slicing;
    options.schedule = variant->schedule;
    options.workspace = (size_t)triple->choice.workspace;
    return options;
}

/* ---- Variants ---- */

/* True if slicing by tile makes fewer steps than slicing by class, judged by one rank's plan. More
 * steps cost the products and take long to simulate. */
static bool has_fewer_tile_steps(const sct_search_context *context,
                                 const sct_layout_triple *triple) {
    const sct_variant tiles = {.slicing = SCT_SLICE_TILE, .schedule = SCT_DIRECT};
    sct_problem problem = sct_score_problem(context, triple->layout);
    sct_options options = options_of(context, triple, &tiles);
    int64_t least;
    sct_plan *plan;
    if (sct_plan_least_steps(&problem, 0, &options, &least) || least >= triple->choice.steps ||
        sct_plan_create(&problem, 0, &options, &plan))
        return false;
    bool may = plan->steps < triple->choice.steps;
    sct_plan_destroy(plan);
    return may;
}

/* Lists the variants beside the default; none if slicing and order are fixed. */
static void list_variants(const sct_search_context *context, const sct_layout_triple *triple,
                          sct_variants *variants) {
    const sct_options *options = &context->options;
    *variants = (sct_variants){1, {{.slicing = options->slicing, .schedule = options->schedule}}};
    if (options->slicing != SCT_SLICE_CLASS || options->schedule != SCT_DIRECT)
        return;
    bool tiles = has_fewer_tile_steps(context, triple);
    for (int i = 1; i < (tiles ? VARIANTS : ORDERS); i++)
        if (triple->choice.steps <= tried_orders[i % ORDERS].most_steps)
            variants->variant[variants->count++] =
                (sct_variant){.slicing = (sct_slicing)(i / ORDERS),
                              .schedule = tried_orders[i % ORDERS].schedule};
}

/* ---- Their times ---- */

/* Simulates some ranks singly; the slowest counts. Estimates the work for all ranks. An order that
 * cannot be made is rejected; lack of memory is an error. */
static sct_status simulate_singly(const sct_search_context *context,
                                  const sct_layout_triple *triple, const int *rank, int ranks,
                                  sct_variant *variant) {
    sct_problem problem = sct_score_problem(context, triple->layout);
    sct_options options = options_of(context, triple, variant);
    int tried = 0;
    double work = 0;
    sct_status status = SCT_OK;
    for (; tried < ranks && work < SAMPLE_WORK && !status; tried++) {
        sct_sim_result one = {0, 0};
        status = sct_simulate_single(&problem, &options, context->machine, rank[tried], &one);
        variant->trial.seconds = fmax(variant->trial.seconds, one.seconds);
        work += one.work;
    }
    variant->trial.work = work * problem.ranks / sct_max(1, tried);
    if (status)
        variant->trial.seconds = INFINITY;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* Simulates all ranks, within a limit on work. Tells the work done. */
static sct_status simulate_together(const sct_search_context *context,
                                    const sct_layout_triple *triple, sct_variant *variant,
                                    double limit, double *work) {
    sct_problem problem = sct_score_problem(context, triple->layout);
    sct_options options = options_of(context, triple, variant);
    const sct_rank_subset all = {0, problem.ranks};
    bool known = context->machine->ranks == 0 || context->machine->ranks == problem.ranks;
    sct_sim_result trial = {INFINITY, 0};
    sct_status status = SCT_OK;
    if (known && isfinite(variant->trial.seconds) && variant->trial.work <= limit) {
        status = sct_simulate_subset(&problem, &options, context->machine, all, limit, &trial);
        trial.work = status == SCT_TOO_LARGE ? limit : trial.work;
    }
    variant->trial.seconds = trial.seconds;
    *work = trial.work;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* Orders by time; of equals by place in the list of all variants. */
static int compare_variants(const void *one, const void *other) {
    const sct_variant *x = one, *y = other;
    if (x->trial.seconds != y->trial.seconds)
        return x->trial.seconds < y->trial.seconds ? -1 : 1;
    return x->slicing != y->slicing ? (int)x->slicing - (int)y->slicing
                                    : (int)x->schedule - (int)y->schedule;
}

static sct_status try_all_alone(const sct_search_context *context, const sct_layout_triple *triple,
                                sct_variants *variants) {
    sct_search_context found = *context;
    int rank[SAMPLE];
    sct_status status = SCT_OK;
    sct_score_consider(&found, triple->layout, triple->shape, triple->work);
    int ranks = sct_score_sample(&found, SAMPLE, rank);
    for (int i = 0; i < variants->count && !status; i++)
        status = simulate_singly(context, triple, rank, ranks, &variants->variant[i]);
    qsort(variants->variant + 1, (size_t)variants->count - 1, sizeof *variants->variant,
          compare_variants);
    return status;
}

/* Simulates variants on all ranks within the limit, half of which is for the default. Tells how
 * many. */
static sct_status simulate_variants(const sct_search_context *context,
                                    const sct_layout_triple *triple, sct_variants *variants,
                                    double *work_left, int *tried) {
    sct_status status = SCT_OK;
    *tried = 0;
    variants->count = (int)sct_min(variants->count, MAX_SIMULATED_TOGETHER);
    for (int i = 0; i < variants->count && !status; i++) {
        double work, limit = i == 0 && variants->count > 1 ? *work_left / 2 : *work_left;
        status = simulate_together(context, triple, &variants->variant[i], limit, &work);
        *work_left -= work;
        *tried += isfinite(variants->variant[i].trial.seconds);
        if (*tried == 0)
            break;
    }
    return status;
}

/* ---- The choice ---- */

/* Switches to a variant if its plans, with the workspace limit of the default if that has one, fit
 * into the memory, and if they move no more bytes where those are the aim. The estimate stays that
 * of the default, so that choices remain comparable. */
static bool switch_to(const sct_search_context *context, sct_layout_triple *triple,
                      const sct_variant *variant) {
    sct_choice tried, *choice = &triple->choice;
    uint64_t limit = context->search.memory;
    sct_search_context freely = *context;
    freely.search.memory = 0;
    freely.options = options_of(context, triple, variant);
    freely.options.machine = context->machine;
    sct_score_consider(&freely, triple->layout, triple->shape, triple->work);
    if (sct_score_plans(&freely, &tried) || (limit > 0 && tried.memory > limit) ||
        (context->search.aim == SCT_AIM_BYTES && tried.bytes > choice->bytes))
        return false;
    tried.seconds = choice->seconds;
    tried.product_seconds = choice->product_seconds;
    tried.simulated = variant->trial.seconds;
    tried.alone = choice->alone;
    *choice = tried;
    return true;
}

/* Switches to the best variant that clearly beats the default. */
static void switch_to_best(const sct_search_context *context, sct_layout_triple *triple,
                           sct_variants *variants) {
    double share = triple->choice.alone ? margin_single : margin_together;
    double enough = share * variants->variant[0].trial.seconds;
    triple->choice.simulated = variants->variant[0].trial.seconds;
    for (;;) {
        sct_variant *best = &variants->variant[0];
        for (int i = 1; i < variants->count; i++)
            best = variants->variant[i].trial.seconds < best->trial.seconds ? &variants->variant[i]
                                                                            : best;
        if (best->trial.seconds >= enough || switch_to(context, triple, best))
            return;
        best->trial.seconds = INFINITY;
    }
}

/* ---- Several choices ---- */

/* The limit on simulation work for all choices of a search. */
static double work_limit(const sct_search_context *context) {
    return fmin(fmax(least_work, work_of_each * context->search.ranks), most_work);
}

/* A choice and its variants, simulated singly. */
typedef struct sct_contender {
    sct_layout_triple *triple;
    sct_variants variants;
} sct_contender;

/* Orders by promise. */
static int compare(const void *one, const void *other) {
    const sct_layout_triple *x = ((const sct_contender *)one)->triple;
    const sct_layout_triple *y = ((const sct_contender *)other)->triple;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Seconds of preparing replicas or copies. */
static double preparation_seconds(const sct_layout_triple *triple) {
    return triple->choice.seconds - triple->choice.product_seconds;
}

/* The expected seconds of a choice with its best variant. Single-rank times are scaled by what
 * contention adds to the default. */
static double expected_seconds(const sct_contender *contender) {
    const sct_choice *choice = &contender->triple->choice;
    double least = INFINITY, first = contender->variants.variant[0].trial.seconds;
    for (int i = 0; i < contender->variants.count; i++)
        least = fmin(least, contender->variants.variant[i].trial.seconds);
    return isfinite(first) ? contention * least * fmax(1, choice->product_seconds / first)
                           : choice->product_seconds;
}

/* Simulates the variants of a choice on all ranks, within the limit, and takes the best. */
static sct_status refine(const sct_search_context *context, sct_contender *contender,
                         double *work_left) {
    sct_variants *alone = &contender->variants, together = *alone;
    sct_choice *choice = &contender->triple->choice;
    int tried = 0;
    bool possible = isfinite(alone->variant[0].trial.seconds);
    sct_status status = SCT_OK;
    choice->alone = true;
    if (possible)
        status = simulate_variants(context, contender->triple, &together, work_left, &tried);
    if (status || !possible)
        return status;
    choice->alone = tried < sct_min(2, alone->count);
    switch_to_best(context, contender->triple, choice->alone ? alone : &together);
    if (!choice->alone)
        contender->triple->score = preparation_seconds(contender->triple) + choice->simulated;
    return SCT_OK;
}

sct_status sct_refine_choices(const sct_search_context *context, sct_layout_triple *list,
                              int count) {
    double work_left = work_limit(context);
    sct_contender contender[SCT_FINALISTS];
    int first = (int)sct_min(count, SCT_TRIED);
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++) {
        contender[i].triple = &list[i];
        list_variants(context, &list[i], &contender[i].variants);
        status = try_all_alone(context, &list[i], &contender[i].variants);
        list[i].score = preparation_seconds(&list[i]) + expected_seconds(&contender[i]);
    }
    if (!status)
        qsort(contender, (size_t)first, sizeof *contender, compare);
    for (int i = 0; i < count && !status; i++)
        status = refine(context, &contender[i], &work_left);
    if (!status)
        sct_layout_triples_sort(list, first, context->search.aim);
    return status;
}

sct_status sct_refine_together(const sct_search_context *context, sct_layout_triple *triple) {
    sct_choice *choice = &triple->choice;
    sct_variant variant = {.slicing = choice->slicing,
                           .schedule = choice->schedule,
                           .trial.work = (double)choice->steps * context->search.ranks};
    double work;
    if (!choice->alone)
        return SCT_OK;
    sct_status status = simulate_together(context, triple, &variant, most_work / 2, &work);
    if (!status && isfinite(variant.trial.seconds)) {
        choice->alone = false;
        choice->simulated = variant.trial.seconds;
        triple->score = preparation_seconds(triple) + choice->simulated;
    }
    return status;
}
