/* choose.c - sct_choose: searches for layouts, plans the best, and refines them in the simulator.
 */
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>

/* choose/search.h says how to read the figures in the comments on constants. */

/* The first choice moves at most few_bytes_factor times the bytes of the best grid, if some choice
 * does whose imbalance is at most imbalance_factor times that of the fastest. With 1 for bytes:
 * 0.981, 1.005, 1.000, but 1.06, 1.05 and 1.00 times the bytes; with 1.1: 1.000, 0.988, 1.000. With
 * 1 for imbalance: 0.991, 1.001, 0.998, but up to 1.03 times the bytes; with 1.5: 1.000. */
static const double few_bytes_factor = 1.02, imbalance_factor = 1.1;

/* The best triples by the search's aim: the first `count` of layouts->best, at most `most`. None if
 * all exceed `enough` clearly. */
static sct_status find(const sct_search *search, double enough, int most,
                       sct_layout_search **layouts, int *count) {
    int fit = 0, wanted = (int)sct_max(most, SCT_TRIED);
    sct_layout_search *made;
    sct_status status = sct_layout_search_create(search, &made);
    if (status)
        return status;
    status = sct_layout_search_plan(made, enough, &fit);
    if (!status)
        status = sct_refine_choices(&made->context, made->best, (int)sct_min(fit, wanted));
    if (status) {
        sct_layout_search_destroy(made);
        return status;
    }
    *layouts = made;
    *count = (int)sct_min(fit, most);
    return SCT_OK;
}

static sct_choice choice_of(const sct_layout_triple *triple) {
    sct_choice choice = triple->choice;
    choice.expected = triple->score;
    choice.a = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_A]);
    choice.b = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_B]);
    choice.c = (sct_layout *)sct_layout_hold(triple->layout[SCT_MAT_C]);
    choice.work = triple->work ? (sct_layout *)sct_layout_hold(triple->work) : NULL;
    return choice;
}

static bool is_equal(const sct_choice *x, const sct_choice *y) {
    return x->stay == y->stay && x->slicing == y->slicing && x->schedule == y->schedule &&
           !x->work == !y->work && (!x->work || sct_layout_equal(x->work, y->work)) &&
           sct_layout_equal(x->a, y->a) && sct_layout_equal(x->b, y->b) &&
           sct_layout_equal(x->c, y->c);
}

/* Fills the list of choices, which has room for `most`: `first`, unless that is NULL, and then the
 * `count` best triples, without one that equals `first`. Returns the number of choices. */
static int list(const sct_layout_triple *first, const sct_layout_triple *best, int count, int most,
                sct_choice *choices) {
    int made = 0;
    if (first)
        choices[made++] = choice_of(first);
    for (int i = 0; i < count && made < most; i++) {
        choices[made] = choice_of(&best[i]);
        if (first && is_equal(&choices[0], &choices[made]))
            sct_choices_clear(&choices[made], 1);
        else
            made++;
    }
    return made;
}

/* The block size, rounded up. */
static double block(int64_t size, int parts) {
    return (double)((size - 1) / parts + 1);
}

/* The fewest bytes that a rank moves on any m x n x k grid of all ranks. On a grid, a rank needs
 * one block of each matrix. Ranks that need the same block store an equal share of it each, and
 * move the rest. */
static double best_grid(const sct_search *search) {
    double least = INFINITY, in = (double)sct_type_bytes(search->type);
    double sum = (double)sct_type_bytes(sct_type_sum(search->type));
    int ranks = search->ranks;
    for (int pm = 1; pm <= ranks; pm++)
        for (int pn = 1; ranks % pm == 0 && pn <= ranks / pm; pn++) {
            int pk = ranks / pm / pn;
            double bm = block(search->m, pm), bn = block(search->n, pn), bk = block(search->k, pk);
            if (pm * pn * pk == ranks)
                least = fmin(least, in * bm * bk * (1 - 1.0 / pn) + in * bk * bn * (1 - 1.0 / pm) +
                                        sum * bm * bn * (1 - 1.0 / pk));
        }
    return least;
}

/* Finds the best of the triples that move few bytes. None if there is none that balances the work
 * as well as the first one by time, or if that moves few bytes already. (On one rank nothing would
 * move.) */
static sct_status find_sparing(const sct_search *search, const sct_choice *first,
                               sct_layout_search **layouts, bool *found) {
    double limit = few_bytes_factor * best_grid(search);
    sct_search aimed = *search;
    int count;
    *layouts = NULL;
    *found = false;
    if (first->bytes_each <= limit)
        return SCT_OK;
    aimed.aim = SCT_AIM_BYTES;
    sct_status status = find(&aimed, limit, 1, layouts, &count);
    if (status || count == 0)
        return status;
    const sct_choice *best = &(*layouts)->best[0].choice;
    *found = best->bytes_each <= limit && best->imbalance <= imbalance_factor * first->imbalance;
    return SCT_OK;
}

/* By time, a triple that moves few bytes is first unless the other is seen to take less time on all
 * ranks together: estimates, and ranks alone, do not show how ranks wait for each other. */
static sct_status is_sparing_first(const sct_search_context *context, sct_layout_triple *timed,
                                   sct_layout_triple *sparing, bool *first) {
    *first = true;
    if (context->search.aim == SCT_AIM_BOTH)
        return SCT_OK;
    sct_status status = sct_refine_together(context, timed);
    if (!status && !timed->choice.alone)
        status = sct_refine_together(context, sparing);
    *first = timed->choice.alone || sparing->score <= timed->score;
    return status;
}

/* Makes the choices of a search by time or both. */
static sct_status choose(sct_layout_search *layouts, const sct_search *search, int most,
                         sct_choice *choices, int *count) {
    sct_layout_search *other = NULL;
    bool found = false, first = false;
    sct_status status = SCT_OK;
    /* Where matrices are copied first, this would take long and show little. */
    bool looks =
        search->aim == SCT_AIM_BOTH || (search->aim == SCT_AIM_TIME && !search->redistribute);
    if (looks)
        status = find_sparing(search, &layouts->best[0].choice, &other, &found);
    if (!status && found)
        status = is_sparing_first(&layouts->context, &layouts->best[0], &other->best[0], &first);
    if (!status)
        *count = list(first ? &other->best[0] : NULL, layouts->best, *count, most, choices);
    if (other)
        sct_layout_search_destroy(other);
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
    sct_layout_search *layouts;
    int found = 0;
    status = find(search, INFINITY, most, &layouts, &found);
    if (status)
        return status;
    status = choose(layouts, search, most, choices, &found);
    sct_layout_search_destroy(layouts);
    *count = status ? 0 : found;
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
