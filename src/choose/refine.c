/* refine.c - simulates the best choices, all ranks together: no estimate shows how ranks wait for
 * each other. For the first of them other slicings and orders are tried, too. */
#include "choose/search.h"
#include "planner/planner.h"

#include "base/checked.h"
#include "forecast/simulate.h"

#include <math.h>
#include <stdlib.h>

/* The slicing and order of a choice, and its simulated seconds; infinite if it cannot be made, or
 * if simulating it would be too much work. */
typedef struct sct_variant {
    sct_slicing slicing;
    sct_schedule schedule;
    double seconds;
} sct_variant;

/* The orders that are tried with each slicing; the first is the default. Greedy order is not among
 * them: order by cost takes no longer. */
static const sct_schedule tried_orders[] = {SCT_DIRECT, SCT_COST, SCT_EXHAUSTIVE};
enum { ORDERS = sizeof tried_orders / sizeof *tried_orders };
enum { VARIANTS = (SCT_SLICE_TILE + 1) * ORDERS };

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

/* Lists the variants beside the default, and returns their number; none if slicing or order is
 * fixed. */
static int list_variants(const sct_search_context *context, const sct_layout_triple *triple,
                         sct_variant *variant) {
    const sct_options *options = &context->options;
    int count = 0;
    if (options->slicing != SCT_SLICE_CLASS || options->schedule != SCT_DIRECT)
        return 0;
    bool tiles = has_fewer_tile_steps(context, triple);
    for (int i = 1; i < (tiles ? VARIANTS : ORDERS); i++) {
        sct_schedule schedule = tried_orders[i % ORDERS];
        if (schedule != SCT_EXHAUSTIVE || triple->choice.steps <= SCT_TRIED_STEPS)
            variant[count++] =
                (sct_variant){.slicing = (sct_slicing)(i / ORDERS), .schedule = schedule};
    }
    return count;
}

/* ---- Their times ---- */

/* Simulates all ranks, if `work_left` suffices, which becomes less. An order that cannot be made is
 * rejected; lack of memory is an error. */
static sct_status simulate(const sct_search_context *context, const sct_layout_triple *triple,
                           sct_variant *variant, double *work_left) {
    sct_problem problem = sct_score_problem(context, triple->layout);
    sct_options options = options_of(context, triple, variant);
    const sct_rank_subset all = {0, problem.ranks};
    bool known = context->machine->ranks == 0 || context->machine->ranks == problem.ranks;
    sct_sim_result result = {INFINITY, 0};
    sct_status status = SCT_OK;
    if (known && (double)triple->choice.steps * problem.ranks <= *work_left) {
        status =
            sct_simulate_subset(&problem, &options, context->machine, all, *work_left, &result);
        *work_left -= status == SCT_TOO_LARGE ? *work_left : result.work;
    }
    variant->seconds = status ? INFINITY : result.seconds;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* ---- The choice ---- */

/* Seconds of preparing replicas or copies. */
static double preparation_seconds(const sct_layout_triple *triple) {
    return triple->choice.seconds - triple->choice.product_seconds;
}

static sct_status simulate_default(const sct_search_context *context, sct_layout_triple *triple,
                                   double *work_left) {
    sct_choice *choice = &triple->choice;
    sct_variant variant = {.slicing = choice->slicing, .schedule = choice->schedule};
    sct_status status = simulate(context, triple, &variant, work_left);
    choice->simulated = isfinite(variant.seconds) ? variant.seconds : 0;
    triple->score = preparation_seconds(triple) +
                    (choice->simulated > 0 ? choice->simulated : choice->product_seconds);
    return status;
}

/* Switches to a variant if its plans, with the workspace limit of the default if that has one, fit
 * into the memory, and if they move no more bytes where those are the aim. The estimate stays that
 * of the default, so that choices remain comparable. */
static void switch_to(const sct_search_context *context, sct_layout_triple *triple,
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
        return;
    tried.seconds = choice->seconds;
    tried.product_seconds = choice->product_seconds;
    tried.simulated = variant->seconds;
    *choice = tried;
    triple->score = preparation_seconds(triple) + tried.simulated;
}

static int compare_variants(const void *one, const void *other) {
    const sct_variant *x = one, *y = other;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* Simulates the variants, and switches to the fastest that clearly beats the default. */
static sct_status try_variants(const sct_search_context *context, sct_layout_triple *triple,
                               double *work_left) {
    sct_variant variant[VARIANTS];
    double enough = sct_choice_margin * triple->choice.simulated;
    int count = triple->choice.simulated > 0 ? list_variants(context, triple, variant) : 0;
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++)
        status = simulate(context, triple, &variant[i], work_left);
    qsort(variant, (size_t)count, sizeof *variant, compare_variants);
    /* The slowest first: the last that can be taken stays. */
    for (int i = 0; i < count && !status; i++)
        if (variant[i].seconds < enough)
            switch_to(context, triple, &variant[i]);
    return status;
}

sct_status sct_refine_choices(const sct_search_context *context, sct_layout_triple *list,
                              int count) {
    double work_left = sct_search_events;
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++)
        status = simulate_default(context, &list[i], &work_left);
    if (!status)
        sct_layout_triples_sort(context, list, count);
    for (int i = 0; i < count && i < SCT_VARIED && !status; i++)
        status = try_variants(context, &list[i], &work_left);
    if (!status)
        sct_layout_triples_sort(context, list, count);
    return status;
}
