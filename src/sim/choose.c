/* choose.c - the layouts that are chosen, and for the best of them the slicing and the order. */
#include "plan/hunt.h"

#include "base/checked.h"
#include "base/status.h"
#include "sim/ways.h"

sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count) {
    sct_hunt *hunt;
    int fit = 0;
    sct_status status = sct_check_given("the place for the choices", choices);
    if (!status)
        status = sct_check_given("the place for their number", count);
    if (status)
        return status;
    *count = 0;
    if (most < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "most: %d is not at least 1", most);
    int wanted = (int)sct_max(most, SCT_TRIED);
    status = sct_hunt_begin(search, wanted, &hunt);
    if (status)
        return status;
    status = sct_hunt_find(hunt, &fit);
    if (!status)
        status = sct_ways_choose(&hunt->seeker, hunt->best, (int)sct_min(fit, wanted));
    int shown = (int)sct_min(fit, most);
    for (int i = 0; i < shown && !status; i++) {
        const sct_three *three = &hunt->best[i];
        choices[i] = three->choice;
        choices[i].expected = three->score;
        choices[i].a = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_A]);
        choices[i].b = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_B]);
        choices[i].c = (sct_layout *)sct_layout_hold(three->layout[SCT_MAT_C]);
    }
    if (!status)
        *count = shown;
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
