/* finalists.c - plans the triples of layouts that are best by estimate, and sorts them. */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"
#include "plan/constants.h"

#include <math.h>
#include <string.h>

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

void sct_layout_triples_sort(const sct_search_context *context, sct_layout_triple *list,
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
    sct_layout_triples_sort(&search->context, search->best, *fit);
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

/* Searches again for triples whose parts take the least memory: those that suit the aim may leave
 * none for workspace. */
static sct_status find_smallest(sct_layout_search *search, int *fit) {
    search->smallest = true;
    sct_status status = sct_layout_search_run(search);
    return status ? status : plan_best(search, false, fit);
}

sct_status sct_layout_search_plan(sct_layout_search *search, int *fit) {
    *fit = 0;
    sct_status status = sct_layout_search_run(search);
    if (!status)
        status = plan_best(search, false, fit);
    if (!status && *fit == 0)
        status = find_smallest(search, fit);
    return !status && *fit == 0 ? report_too_small(search) : status;
}
