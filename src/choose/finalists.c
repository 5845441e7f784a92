/* finalists.c - plans the triples of layouts that are best by estimate, and sorts them. */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The keys by which triples are sorted, the most important first: by default seconds, bytes moved,
 * layouts that are long to read, memory. */
enum { KEYS = 4 };
/* What the figures of this file mean is said in choose/search.h. */

/* Two values are equal up to this factor: seconds, which are less certain, and everything else.
 * Seconds with 1: 0.991, 0.997, 0.999, but 1.09, 1.03 and 1.04 times the bytes. With 1.05: 1.004,
 * 1.009, 1.006, and 0.95, 0.97, 0.97 times the bytes. Everything else with 1: 0.998, 1.006, 1.001;
 * with 1.03: 1.000. */
static const double equal_seconds = 1.02, equal = 1.01;

/* True if the layout's text has a rank map or cuts. */
static bool is_long(const sct_layout *layout) {
    return layout->rank_of || layout->form == SCT_FORM_CUTS;
}

static double key(const sct_layout_triple *triple, sct_aim aim, int which) {
    const sct_choice *choice = &triple->choice;
    double longs = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        longs += is_long(triple->layout[matrix]);
    const double bytes = choice->bytes_each, memory = (double)choice->memory;
    const double keys[2][KEYS] = {{triple->score, bytes, longs, memory},
                                  {bytes, triple->score, longs, memory}};
    return keys[aim == SCT_AIM_BYTES][which];
}

static double alike_by(sct_aim aim, int which) {
    return which == (aim == SCT_AIM_BYTES) ? equal_seconds : equal;
}

/* The index of the best item: items equal by one key are compared by the next. */
static int best_of(const sct_layout_triple *list, int count, sct_aim aim) {
    bool out[SCT_FINALISTS] = {false};
    for (int which = 0; which < KEYS; which++) {
        double least = INFINITY;
        for (int i = 0; i < count; i++)
            if (!out[i])
                least = fmin(least, key(&list[i], aim, which));
        for (int i = 0; i < count; i++)
            out[i] = out[i] || key(&list[i], aim, which) > least * alike_by(aim, which);
    }
    int best = 0;
    while (out[best])
        best++;
    return best;
}

void sct_layout_triples_sort(sct_layout_triple *list, int count, sct_aim aim) {
    for (; count > 1; list++, count--) {
        int best = best_of(list, count, aim);
        sct_layout_triple triple = list[best];
        memmove(list + 1, list, (size_t)best * sizeof *list);
        *list = triple;
    }
}

static int compare(const void *one, const void *other) {
    const double *x = one, *y = other;
    return (*x > *y) - (*x < *y);
}

/* The score above which a choice cannot be among those wanted any more, given that the first
 * `known` choices are planned. If memory is to be least, choices that are equally good are not
 * wanted. */
static double most_of(const sct_layout_search *search, int known) {
    double least[SCT_FINALISTS];
    if (search->wanted > known)
        return INFINITY;
    for (int i = 0; i < known; i++)
        least[i] = sct_score_of_choice(&search->context, &search->best[i].choice);
    qsort(least, (size_t)known, sizeof *least, compare);
    double most = least[search->wanted - 1];
    return search->context.min_memory ? most - 1 : alike_by(search->context.search.aim, 0) * most;
}

/* Plans the triples. Moves those that fit into memory to the front, and tells their number. */
static sct_status plan_best(sct_layout_search *search, int *fit) {
    *fit = 0;
    for (int i = 0; i < search->count; i++) {
        sct_layout_triple triple = search->best[i];
        sct_score_consider(&search->context, triple.layout, triple.shape, triple.work);
        double most = most_of(search, *fit);
        if (search->context.min_memory && triple.score > most)
            break; /* the rest are no better */
        sct_status status = sct_score_plans(&search->context, most, &triple.choice);
        if (status && status != SCT_WORKSPACE)
            return status;
        if (status || sct_score_of_choice(&search->context, &triple.choice) > most)
            continue;
        if (!isfinite(triple.choice.seconds))
            return sct_fail(SCT_FAILED, "machine %s: the product would never finish",
                            search->context.machine->name);
        triple.score = triple.choice.seconds;
        search->best[i] = search->best[*fit];
        search->best[(*fit)++] = triple;
    }
    sct_layout_triples_sort(search->best, *fit, search->context.search.aim);
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
    return plan_best(search, fit);
}

/* Fails, as nothing fits into memory, and tells how much memory would do: that of the smallest plan
 * with the least workspace, or if there is none, with the workspace that plans take by themselves.
 * If no plan keeps the limit on workspace, tells that instead. */
static sct_status report_too_small(sct_layout_search *search) {
    uint64_t memory = search->context.search.memory, least = UINT64_MAX;
    int fit;
    search->wanted = 1;
    search->context.min_memory = true;
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
    return status ? status : plan_best(search, fit);
}

sct_status sct_layout_search_plan(sct_layout_search *search, double enough, int *fit) {
    *fit = 0;
    sct_status status = sct_layout_search_run(search);
    if (status || (search->count > 0 && search->best[0].score > enough))
        return status;
    status = plan_best(search, fit);
    if (!status && *fit == 0)
        status = find_smallest(search, fit);
    return !status && *fit == 0 ? report_too_small(search) : status;
}
