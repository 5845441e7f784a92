/* choose.c - sct_choose: searches for layouts by estimates, plans the triples that are best, and
 * simulates the best choices, all ranks together: no estimate shows how ranks wait for each other.
 * For the first of them other slicings and orders are tried, too. */
#include "base/checked.h"
#include "base/status.h"
#include "choose/search.h"
#include "forecast/simulate.h"
#include "plan/constants.h"
#include "planner/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The triples that are best by estimate ---- */

/* The keys by which triples are sorted, the most important first: the value that is sought to be
 * low, bytes or seconds, layouts that are long to read, memory. */
enum { KEYS = 4 };
/* True if the layout's text has a rank map or cuts. */
static bool is_long(const sct_layout *layout) {
    return sct_layout_is_mapped(layout) || layout->form == SCT_FORM_CUTS;
}

static double key(const sct_search_context *context, const sct_layout_triple *triple, int which) {
    const sct_choice *choice = &triple->choice;
    bool by_bytes = context->search.aim == SCT_AIM_BYTES;
    double longs = 0, bytes = choice->bytes_each;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        longs += is_long(triple->layout[matrix]);
    const double keys[KEYS] = {sct_score_value(context, triple->score, bytes),
                               by_bytes ? triple->score : bytes, longs, (double)choice->memory};
    return keys[which];
}

/* The index of the best item: items equal by one key are compared by the next. */
static int best_of(const sct_search_context *context, const sct_layout_triple *list, int count) {
    bool out[SCT_FINALISTS] = {false};
    for (int which = 0; which < KEYS; which++) {
        double least = INFINITY;
        for (int i = 0; i < count; i++)
            if (!out[i])
                least = fmin(least, key(context, &list[i], which));
        for (int i = 0; i < count; i++)
            out[i] = out[i] || key(context, &list[i], which) > least * sct_choice_equal;
    }
    int best = 0;
    while (out[best])
        best++;
    return best;
}

/* Sorts planned triples, whose scores are seconds, by the aim: best first. */
static void layout_triples_sort(const sct_search_context *context, sct_layout_triple *list,
                                int count) {
    for (; count > 1; list++, count--) {
        int best = best_of(context, list, count);
        sct_layout_triple triple = list[best];
        memmove(list + 1, list, (size_t)best * sizeof *list);
        *list = triple;
    }
}

/* Plans the triples. Moves those that fit into memory to the front, and returns their number.
 * `less`: only those that need less memory than all before. */
static sct_status plan_best(sct_layout_search *search, bool less, int *fit) {
    uint64_t most = UINT64_MAX;
    *fit = 0;
    for (int i = 0; i < search->count; i++) {
        sct_layout_triple triple = search->best[i];
        sct_score_consider(&search->context, triple.layout, triple.shape, triple.work);
        if (triple.score > (double)most)
            break; /* the rest are no better */
        sct_status status = sct_score_plans(&search->context, &triple.choice);
        if (status && status != SCT_WORKSPACE)
            return status;
        if (status || triple.choice.memory > most)
            continue;
        if (!isfinite(triple.choice.seconds))
            return sct_fail(SCT_FAILED, "machine %s: the product would never finish",
                            search->context.machine->name);
        if (less)
            most = triple.choice.memory - 1;
        triple.score = triple.choice.seconds;
        search->best[i] = search->best[*fit];
        search->best[(*fit)++] = triple;
    }
    layout_triples_sort(&search->context, search->best, *fit);
    return SCT_OK;
}

/* Plans for the least memory, the triple with the smallest estimate first. */
static sct_status plan_smallest(sct_layout_search *search, int *fit) {
    for (int i = 0; i < search->count;) {
        sct_layout_triple triple = search->best[i];
        sct_score_consider(&search->context, triple.layout, triple.shape, triple.work);
        triple.score = (double)sct_score_min_memory(&search->context);
        sct_layout_triple_insert(search->best, &i, SCT_FINALISTS, &triple);
    }
    return plan_best(search, true, fit);
}

/* Fails, as nothing fits into memory, and reports how much memory would do: that of the smallest
 * plan with the least workspace, or if there is none, with the workspace that plans take by
 * themselves. If no plan keeps the limit on workspace, reports that instead. */
static sct_status report_too_small(sct_layout_search *search) {
    uint64_t memory = search->context.search.memory, least = UINT64_MAX;
    int fit;
    search->context.search.memory = 0;
    search->context.min_workspace = true;
    sct_status status = plan_smallest(search, &fit);
    search->context.min_workspace = false;
    if (!status && fit == 0)
        status = plan_smallest(search, &fit);
    if (!status && fit == 0)
        status = sct_fail(SCT_WORKSPACE, "workspace: %zu bytes are too few for any layouts",
                          search->context.options.workspace);
    for (int i = 0; i < fit && !status; i++)
        least = search->best[i].choice.memory < least ? search->best[i].choice.memory : least;
    return status ? status
                  : sct_fail(SCT_WORKSPACE,
                             "memory: %llu bytes are too few for any layouts and their workspace; "
                             "%llu suffice",
                             (unsigned long long)memory, (unsigned long long)least);
}

/* Searches again, for the layouts of A, B and C that take the least memory. The fastest ones may
 * leave no memory for workspace. */
static sct_status find_smallest(sct_layout_search *search, int *fit) {
    search->smallest = true;
    sct_status status = sct_layout_search_run(search);
    return status ? status : plan_best(search, false, fit);
}

/* Finds the best triples and plans them. Tells how many fit into memory, best first. If none fits,
 * the reason says how much memory would do. */
static sct_status layout_search_plan(sct_layout_search *search, int *fit) {
    *fit = 0;
    sct_status status = sct_layout_search_run(search);
    if (!status)
        status = plan_best(search, false, fit);
    if (!status && *fit == 0)
        status = find_smallest(search, fit);
    return !status && *fit == 0 ? report_too_small(search) : status;
}

/* ---- Simulation of the best choices ---- */

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
    bool known = context->machine->ranks == 0 || context->machine->ranks == problem.ranks;
    sct_sim_result result = {INFINITY, 0};
    sct_status status = SCT_OK;
    if (known && (double)triple->choice.steps * problem.ranks <= *work_left) {
        status = sct_simulate_all(&problem, &options, context->machine, *work_left, &result);
        *work_left -= status == SCT_TOO_LARGE ? *work_left : result.work;
    }
    variant->seconds = status ? INFINITY : result.seconds;
    return status == SCT_NO_MEMORY ? status : SCT_OK;
}

/* ---- The variant that is chosen ---- */

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

/* Simulates these planned triples, as many as the limit on work allows; for the first of them also
 * other slicings and orders of steps, which are taken if they clearly beat the default. Sorts the
 * triples by the seconds that result. */
static sct_status refine_choices(const sct_search_context *context, sct_layout_triple *list,
                                 int count) {
    double work_left = sct_search_events;
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++)
        status = simulate_default(context, &list[i], &work_left);
    if (!status)
        layout_triples_sort(context, list, count);
    for (int i = 0; i < count && i < SCT_VARIED && !status; i++)
        status = try_variants(context, &list[i], &work_left);
    if (!status)
        layout_triples_sort(context, list, count);
    return status;
}

/* ---- sct_choose ---- */

static sct_choice choice_of(const sct_layout_triple *triple) {
    sct_choice choice = triple->choice;
    choice.expected = triple->score;
    choice.a = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_A]);
    choice.b = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_B]);
    choice.c = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_C]);
    choice.work = triple->work ? (sct_layout *)sct_layout_hold(triple->work) : NULL;
    return choice;
}

sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count) {
    sct_status status = sct_check_output("choices", choices);
    if (!status)
        status = sct_check_output("count", count);
    if (status)
        return status;
    *count = 0;
    if (most < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "most: %d is not at least 1", most);
    sct_layout_search *layouts;
    int fit = 0;
    status = sct_layout_search_create(search, &layouts);
    if (status)
        return status;
    status = layout_search_plan(layouts, &fit);
    if (!status)
        status = refine_choices(&layouts->context, layouts->best, fit);
    for (int i = 0; i < fit && i < most && !status; i++)
        choices[(*count)++] = choice_of(&layouts->best[i]);
    sct_layout_search_destroy(layouts);
    return status;
}

void sct_choices_clear(sct_choice *choices, int count) {
    for (int i = 0; i < count; i++) {
        sct_layout_destroy(choices[i].a);
        sct_layout_destroy(choices[i].b);
        sct_layout_destroy(choices[i].c);
        sct_layout_destroy(choices[i].work);
        choices[i].a = choices[i].b = choices[i].c = choices[i].work = NULL;
    }
}
