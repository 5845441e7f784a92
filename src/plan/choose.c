/* choose.c - plans what a search has found, and sorts it. */
#include "plan/hunt.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* What differs by less than a hundredth is alike: steps of a hundredth. */
static long step_of(double value) {
    return lround(100 * log(fmax(value, 1e-12)));
}

static int longs(const sct_three *three) {
    int count = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        count += sct_layout_is_long(three->layout[matrix]);
    return count;
}

static bool better(const sct_three *one, const sct_three *other, sct_aim aim) {
    const sct_choice *a = &one->choice, *b = &other->choice;
    long time = step_of(a->seconds) - step_of(b->seconds);
    long bytes =
        step_of((double)(a->bytes + a->bytes_made)) - step_of((double)(b->bytes + b->bytes_made));
    long first = aim == SCT_AIM_BYTES ? bytes : time, second = aim == SCT_AIM_BYTES ? time : bytes;
    if (first || second)
        return first ? first < 0 : second < 0;
    return longs(one) != longs(other) ? longs(one) < longs(other) : a->memory < b->memory;
}

/* Plans what was found; says how many fit into the memory, which then come first. */
static sct_status plan_found(sct_hunt *hunt, int *fit) {
    *fit = 0;
    for (int i = 0; i < hunt->count; i++) {
        sct_three three = hunt->best[i];
        memcpy(hunt->seeker.product.layout, three.layout, sizeof three.layout);
        sct_status status = sct_seek_try(&hunt->seeker, three.stay, &three.choice);
        if (status && status != SCT_WORKSPACE)
            return status;
        if (status)
            continue;
        int at = (*fit)++;
        hunt->best[i] = hunt->best[at];
        for (; at > 0 && better(&three, &hunt->best[at - 1], hunt->seeker.search.aim); at--)
            hunt->best[at] = hunt->best[at - 1];
        hunt->best[at] = three;
    }
    return SCT_OK;
}

/* Finds and plans by what is aimed at; if that leaves no room for workspace, by the memory. */
static sct_status find(sct_hunt *hunt, int *fit) {
    sct_status status = sct_hunt_run(hunt);
    if (!status)
        status = plan_found(hunt, fit);
    if (status || *fit > 0)
        return status;
    hunt->smallest = true;
    status = sct_hunt_run(hunt);
    return status ? status : plan_found(hunt, fit);
}

/* None fits. The smallest have been found: with as much as they take by themselves they will. */
static sct_status too_small(sct_hunt *hunt) {
    uint64_t memory = hunt->seeker.search.memory, least = UINT64_MAX;
    int fit;
    hunt->seeker.search.memory = 0;
    sct_status status = plan_found(hunt, &fit);
    for (int i = 0; i < fit && !status; i++)
        least = hunt->best[i].choice.memory < least ? hunt->best[i].choice.memory : least;
    return status ? status
                  : sct_fail(SCT_WORKSPACE,
                             "memory: %llu bytes hold no layouts and workspace; %llu do",
                             (unsigned long long)memory, (unsigned long long)least);
}

sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count) {
    sct_hunt *hunt;
    int fit = 0;
    sct_status status = sct_check_given("the place for the choices", choices);
    if (!status)
        status = sct_check_given("the place for their number", count);
    if (!status)
        status = sct_hunt_begin(search, &hunt);
    if (status)
        return status;
    status = find(hunt, &fit);
    if (!status && fit == 0)
        status = too_small(hunt);
    for (int i = 0; i < fit && i < most && !status; i++) {
        const sct_three *three = &hunt->best[i];
        choices[i] = three->choice;
        choices[i].a = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_A]);
        choices[i].b = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_B]);
        choices[i].c = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_C]);
    }
    if (!status)
        *count = (int)sct_min(fit, most);
    sct_hunt_end(hunt);
    return status;
}

void sct_choices_clear(sct_choice *choices, int count) {
    for (int i = 0; i < count; i++) {
        sct_layout_destroy(choices[i].a);
        sct_layout_destroy(choices[i].b);
        sct_layout_destroy(choices[i].c);
        choices[i].a = choices[i].b = choices[i].c = NULL;
    }
}
