/* finalists.c - plans the best candidates, and sorts them. */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Sort keys, the most important first. */
enum { KEYS = 4 };
/* Factors below which two values are equal: seconds, which are less certain, and everything else.
 */
static const double equal_seconds = 1.02, equal = 1.01;
/* Candidates whose estimate is this many times the best are not planned. */
static const double hopeless_factor = 3;
/* Limit on planning, in steps of all plans: hopeless_factor more than products of usual size need.
 */
static const int64_t planning_limit = 150000;
/* The accuracy of estimates. */
static const double estimate_margin = 1.05;

static double key(const sct_layout_triple *triple, sct_aim aim, int which) {
    const sct_choice *choice = &triple->choice;
    double longs = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        longs += sct_layout_is_long(triple->layout[matrix]);
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

/* The score that a choice may have to be among those wanted, given some that are planned. For
 * minimum memory, only the amount is wanted. */
static double most_of(const sct_layout_search *search, int known) {
    double least[SCT_FINALISTS];
    int count = 0;
    if (search->wanted > known)
        return INFINITY;
    for (int i = 0; i < known; i++) {
        double aimed = sct_score_of_choice(&search->context, &search->best[i].choice);
        int at = count++;
        for (; at > 0 && least[at - 1] > aimed; at--)
            least[at] = least[at - 1];
        least[at] = aimed;
    }
    double most = least[search->wanted - 1];
    return search->context.min_memory ? most - 1 : alike_by(search->context.search.aim, 0) * most;
}

/* Plans candidates: as many as are wanted, and more within the limit on planning. Those that fit
 * into memory come first; tells their number. */
static sct_status plan_candidates(sct_layout_search *search, int *fit) {
    double first = 0; /* best estimate among those that fit */
    int64_t steps = 0;
    *fit = 0;
    for (int i = 0; i < search->count && (*fit < search->wanted || steps < planning_limit); i++) {
        sct_layout_triple triple = search->best[i];
        if (*fit > 0 && first > 0 && triple.score > hopeless_factor * first)
            break;
        memcpy(search->context.product.layout, triple.layout, sizeof triple.layout);
        double most = most_of(search, *fit);
        if (search->context.min_memory && triple.score > most)
            break; /* the rest are no better */
        sct_status status = sct_score_plans(&search->context, triple.stay, most, &triple.choice);
        if (status && status != SCT_WORKSPACE)
            return status;
        steps += status ? 0 : triple.choice.steps * triple.choice.planned;
        if (status || sct_score_of_choice(&search->context, &triple.choice) > most)
            continue;
        if (!isfinite(triple.choice.seconds))
            return sct_fail(SCT_FAILED, "machine %s: the product would never finish",
                            search->context.machine->name);
        first = *fit == 0 ? triple.score : first;
        triple.score = triple.choice.seconds;
        search->best[i] = search->best[*fit];
        search->best[(*fit)++] = triple;
    }
    sct_layout_triples_sort(search->best, *fit, search->context.search.aim);
    return SCT_OK;
}

/* Plans for minimum memory, the smallest estimate first. */
static sct_status plan_smallest(sct_layout_search *search, int *fit) {
    for (int i = 0; i < search->count;) {
        sct_layout_triple triple = search->best[i];
        memcpy(search->context.product.layout, triple.layout, sizeof triple.layout);
        triple.score = (double)sct_score_min_memory(&search->context, triple.stay);
        sct_layout_triple_insert(search->best, &i, SCT_FINALISTS, &triple);
    }
    return plan_candidates(search, fit);
}

/* Reports that nothing fits, and how much memory would do: that of the smallest plan with little
 * workspace, or else as planned; or that the workspace limit cannot hold. */
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

/* Searches by memory, if the aim leaves no memory for workspace. */
static sct_status find_smallest(sct_layout_search *search, int *fit) {
    search->smallest = true;
    sct_status status = sct_layout_search_run(search);
    return status ? status : plan_candidates(search, fit);
}

sct_status sct_layout_search_plan(sct_layout_search *search, double enough, int *fit) {
    *fit = 0;
    sct_status status = sct_layout_search_run(search);
    if (status || (search->count > 0 && search->best[0].score > estimate_margin * enough))
        return status;
    status = plan_candidates(search, fit);
    if (!status && *fit == 0)
        status = find_smallest(search, fit);
    return !status && *fit == 0 ? report_too_small(search) : status;
}
