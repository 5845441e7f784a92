/* finalists.c - plans what a search has found, and sorts it. */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* What counts first, second and so on. */
enum { KEYS = 4 };
/* What is more by less than this is as good; of seconds, which are not known so well, and of all
 * else. */
static const double alike_seconds = 1.02, alike = 1.01;
/* What is more by this, reckoned without plans, is not planned: that would take long, too. */
static const double far = 3;
/* Steps of plans, of all ranks that are planned together: many more than matrices of usual size
 * have. */
static const int64_t patience = 150000;
/* What is reckoned is known so well. */
static const double clearly = 1.05;

static double key(const sct_three *three, sct_aim aim, int which) {
    const sct_choice *choice = &three->choice;
    double longs = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        longs += sct_layout_is_long(three->layout[matrix]);
    const double bytes = choice->bytes_each, memory = (double)choice->memory;
    const double keys[2][KEYS] = {{three->score, bytes, longs, memory},
                                  {bytes, three->score, longs, memory}};
    return keys[aim == SCT_AIM_BYTES][which];
}

static double alike_by(sct_aim aim, int which) {
    return which == (aim == SCT_AIM_BYTES) ? alike_seconds : alike;
}

/* The place of the best in a list of at most SCT_FINALISTS: those that are as good as the best by
 * one key are told apart by the next. */
static int best_of(const sct_three *list, int count, sct_aim aim) {
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

void sct_three_sort(sct_three *list, int count, sct_aim aim) {
    for (; count > 1; list++, count--) {
        int best = best_of(list, count, aim);
        sct_three three = list[best];
        memmove(list + 1, list, (size_t)best * sizeof *list);
        *list = three;
    }
}

/* What a choice may take to be one of those that are wanted, beside some that are known. Of the
 * least memory only the amount is wanted: what is not less adds nothing. */
static double most_of(const sct_hunt *hunt, int known) {
    double least[SCT_FINALISTS];
    int count = 0;
    if (hunt->wanted > known)
        return INFINITY;
    for (int i = 0; i < known; i++) {
        double aimed = sct_seek_aimed(&hunt->seeker, &hunt->best[i].choice);
        int at = count++;
        for (; at > 0 && least[at - 1] > aimed; at--)
            least[at] = least[at - 1];
        least[at] = aimed;
    }
    double most = least[hunt->wanted - 1];
    return hunt->seeker.thrifty ? most - 1 : alike_by(hunt->seeker.search.aim, 0) * most;
}

/* Plans what was found, as many as are wanted, and more as long as there is patience; says how many
 * fit into the memory, which then come first. */
static sct_status plan_found(sct_hunt *hunt, int *fit) {
    double first = 0; /* score without plans, of those that fit */
    int64_t steps = 0;
    *fit = 0;
    for (int i = 0; i < hunt->count && (*fit < hunt->wanted || steps < patience); i++) {
        sct_three three = hunt->best[i];
        if (*fit > 0 && first > 0 && three.score > far * first)
            break;
        memcpy(hunt->seeker.product.layout, three.layout, sizeof three.layout);
        double most = most_of(hunt, *fit);
        if (hunt->seeker.thrifty && three.score > most)
            break; /* as do all that follow */
        sct_status status = sct_seek_try(&hunt->seeker, three.stay, most, &three.choice);
        if (status && status != SCT_WORKSPACE)
            return status;
        steps += status ? 0 : three.choice.steps * three.choice.planned;
        if (status || sct_seek_aimed(&hunt->seeker, &three.choice) > most)
            continue;
        if (!isfinite(three.choice.seconds))
            return sct_fail(SCT_FAILED, "machine %s: the product would never come to an end",
                            hunt->seeker.machine->name);
        first = *fit == 0 ? three.score : first;
        three.score = three.choice.seconds;
        hunt->best[i] = hunt->best[*fit];
        hunt->best[(*fit)++] = three;
    }
    sct_three_sort(hunt->best, *fit, hunt->seeker.search.aim);
    return SCT_OK;
}

/* Plans for the least memory, beginning with what may take the least. */
static sct_status plan_smallest(sct_hunt *hunt, int *fit) {
    for (int i = 0; i < hunt->count;) {
        sct_three three = hunt->best[i];
        memcpy(hunt->seeker.product.layout, three.layout, sizeof three.layout);
        three.score = (double)sct_seek_least(&hunt->seeker, three.stay);
        sct_three_sort_in(hunt->best, &i, SCT_FINALISTS, &three);
    }
    return plan_found(hunt, fit);
}

/* None fits. The smallest have been found; what they take where there is little workspace will do,
 * or else what they take by themselves; unless it is a limit on workspace that none keeps. */
static sct_status too_small(sct_hunt *hunt) {
    uint64_t memory = hunt->seeker.search.memory, least = UINT64_MAX;
    int fit;
    hunt->wanted = 1;
    hunt->seeker.thrifty = true;
    hunt->seeker.search.memory = 0;
    hunt->seeker.cramped = true;
    sct_status status = plan_smallest(hunt, &fit);
    hunt->seeker.cramped = false;
    if (!status && fit == 0)
        status = plan_smallest(hunt, &fit);
    if (!status && fit == 0)
        status = sct_fail(SCT_WORKSPACE, "workspace: %zu bytes are too few, whatever the layouts",
                          hunt->seeker.options.workspace);
    for (int i = 0; i < fit && !status; i++)
        least = hunt->best[i].choice.memory < least ? hunt->best[i].choice.memory : least;
    return status ? status
                  : sct_fail(SCT_WORKSPACE,
                             "memory: %llu bytes hold no layouts and workspace; %llu do",
                             (unsigned long long)memory, (unsigned long long)least);
}

/* By the memory, if what is aimed at leaves no room for workspace. */
static sct_status find_smallest(sct_hunt *hunt, int *fit) {
    hunt->smallest = true;
    sct_status status = sct_hunt_run(hunt);
    return status ? status : plan_found(hunt, fit);
}

sct_status sct_hunt_find(sct_hunt *hunt, double enough, int *fit) {
    *fit = 0;
    sct_status status = sct_hunt_run(hunt);
    if (status || (hunt->count > 0 && hunt->best[0].score > clearly * enough))
        return status;
    status = plan_found(hunt, fit);
    if (!status && *fit == 0)
        status = find_smallest(hunt, fit);
    return !status && *fit == 0 ? too_small(hunt) : status;
}
