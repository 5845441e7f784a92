/* choose.c - sct_choose: searches for layouts, plans the best, and refines them in the simulator.
 */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

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
    status = sct_layout_search_plan(layouts, &fit);
    if (!status)
        status = sct_refine_choices(&layouts->context, layouts->best, fit);
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
