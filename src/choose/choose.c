/* choose.c - sct_choose: searches for layouts, plans the best, and refines them in the simulator.
 */
#include "choose/search.h"
#include "cost/best_grid.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* The first choice moves at most few_bytes_factor times the bytes of the best grid, if some choice
 * does whose imbalance is at most imbalance_factor times that of the fastest. */
static const double few_bytes_factor = 1.02, imbalance_factor = 1.1;

/* The best choices by the search's aim. None if all exceed `enough` clearly. */
static sct_status choose_by(const sct_search *search, double enough, int most, sct_choice *choices,
                            int *count) {
    sct_layout_search *layouts;
    int fit = 0, wanted = (int)sct_max(most, SCT_TRIED);
    *count = 0;
    sct_status status = sct_layout_search_create(search, wanted, &layouts);
    if (status)
        return status;
    status = sct_layout_search_plan(layouts, enough, &fit);
    if (!status)
        status = sct_refine_choices(&layouts->context, layouts->best, (int)sct_min(fit, wanted));
    int shown = (int)sct_min(fit, most);
    for (int i = 0; i < shown && !status; i++) {
        const sct_layout_triple *triple = &layouts->best[i];
        choices[i] = triple->choice;
        choices[i].expected = triple->score;
        choices[i].a = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_A]);
        choices[i].b = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_B]);
        choices[i].c = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_C]);
    }
    if (!status)
        *count = shown;
    sct_layout_search_destroy(layouts);
    return status;
}

static bool is_equal(const sct_choice *x, const sct_choice *y) {
    return x->stay == y->stay && x->slicing == y->slicing && x->schedule == y->schedule &&
           sct_layout_equal(x->a, y->a) && sct_layout_equal(x->b, y->b) &&
           sct_layout_equal(x->c, y->c);
}

/* Inserts a choice at the front. An equal one is removed, or else the last if the list is full. */
static void put_first(const sct_choice *first, int most, sct_choice *choices, int *count) {
    int at = 0;
    while (at < *count && !is_equal(first, &choices[at]))
        at++;
    at = at == most ? most - 1 : at;
    if (at < *count)
        sct_choices_clear(&choices[at], 1);
    else
        ++*count;
    memmove(choices + 1, choices, (size_t)at * sizeof *choices);
    choices[0] = *first;
}

/* Unless the first choice moves few bytes already, puts one that does first, if it balances the
 * work as well. (On one rank nothing would move.) */
static sct_status put_few_bytes_first(const sct_search *search, int most, sct_choice *choices,
                                      int *count) {
    double limit = few_bytes_factor *
                   sct_grid_least(search->type, search->m, search->n, search->k, search->ranks);
    sct_search sparing = *search;
    sct_choice first;
    int found;
    if (choices[0].bytes_each <= limit)
        return SCT_OK;
    sparing.aim = SCT_AIM_BYTES;
    sct_status status = choose_by(&sparing, limit, 1, &first, &found);
    if (found > 0 && first.bytes_each <= limit &&
        first.imbalance <= imbalance_factor * choices[0].imbalance)
        put_first(&first, most, choices, count);
    else
        sct_choices_clear(&first, found);
    return status;
}

sct_status sct_choose(const sct_search *search, int most, sct_choice *choices, int *count) {
    sct_status status = sct_check_given("the place for the choices", choices);
    if (!status)
        status = sct_check_given("the place for their number", count);
    if (status)
        return status;
    *count = 0;
    if (most < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "most: %d is not at least 1", most);
    status = choose_by(search, INFINITY, most, choices, count);
    if (!status && search->aim == SCT_AIM_BOTH)
        status = put_few_bytes_first(search, most, choices, count);
    if (status) {
        sct_choices_clear(choices, *count);
        *count = 0;
    }
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
