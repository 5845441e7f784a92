/* choose.c - the layouts that are chosen, and for the best of them the slicing and the order. */
#include "choose/search.h"
#include "cost/best_grid.h"

#include "base/checked.h"
#include "base/status.h"
#include "choose/refine.h"

#include <math.h>
#include <string.h>

/* As many times what the best grid moves is as little; and as many times the work of the rank that
 * has the most is as even. */
static const double little = 1.02, even = 1.1;

/* The best by time or by bytes; none, if all take clearly more than is enough. */
static sct_status choose_by(const sct_search *search, double enough, int most, sct_choice *choices,
                            int *count) {
    sct_hunt *hunt;
    int fit = 0, wanted = (int)sct_max(most, SCT_TRIED);
    *count = 0;
    sct_status status = sct_hunt_begin(search, wanted, &hunt);
    if (status)
        return status;
    status = sct_hunt_find(hunt, enough, &fit);
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

static bool alike(const sct_choice *x, const sct_choice *y) {
    return x->stay == y->stay && x->slicing == y->slicing && x->schedule == y->schedule &&
           sct_layout_equal(x->a, y->a) && sct_layout_equal(x->b, y->b) &&
           sct_layout_equal(x->c, y->c);
}

/* Takes away one that is alike, or else the last if there are as many as are wanted. */
static void put_first(const sct_choice *first, int most, sct_choice *choices, int *count) {
    int at = 0;
    while (at < *count && !alike(first, &choices[at]))
        at++;
    at = at == most ? most - 1 : at;
    if (at < *count)
        sct_choices_clear(&choices[at], 1);
    else
        ++*count;
    memmove(choices + 1, choices, (size_t)at * sizeof *choices);
    choices[0] = *first;
}

/* Puts first what moves as little as the best grid, if the first does not, and something does that
 * shares the work as evenly: on one rank nothing would move. */
static sct_status put_little_first(const sct_search *search, int most, sct_choice *choices,
                                   int *count) {
    double limit =
        little * sct_grid_least(search->type, search->m, search->n, search->k, search->ranks);
    sct_search sparing = *search;
    sct_choice first;
    int found;
    if (choices[0].bytes_each <= limit)
        return SCT_OK;
    sparing.aim = SCT_AIM_BYTES;
    sct_status status = choose_by(&sparing, limit, 1, &first, &found);
    if (found > 0 && first.bytes_each <= limit && first.imbalance <= even * choices[0].imbalance)
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
        status = put_little_first(search, most, choices, count);
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
