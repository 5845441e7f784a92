/* grid_search.c - searches for triples of layouts by estimates.
 *
 * Beside a layout of the stationary matrix, the moving matrices are independent of each other. So
 * the best few layouts of each are found separately, and then combined. finalists.c plans the best
 * triples. */
#include "choose/candidates.h"
#include "choose/search.h"

#include "base/checked.h"

#include <math.h>

/* Layouts of a moving matrix kept for combination. */
enum { KEPT = 3 };
/* A layout with a rank map or cuts must be better by this factor, because it is long to read. */
static const double long_costs = 1.005;

static bool fits(const sct_layout_search *search) {
    uint64_t memory = search->context.search.memory;
    return search->smallest || !memory || sct_score_stored_bytes(&search->context, 0) <= memory;
}

/* The score, lower is better, of all matrices (-1) or of one moving matrix. Need not be exact
 * beyond `most`. */
static double score(const sct_layout_search *search, int stay, int matrix, double most) {
    const sct_search_context *context = &search->context;
    if (search->smallest)
        return (double)sct_score_stored_bytes(context, 0);
    double weight = sct_score_layouts(context, stay, matrix, most);
    for (int i = 0; i < SCT_MATS; i++)
        if (!context->fixed[i] && sct_layout_is_long(context->product.layout[i]))
            weight *= long_costs;
    return weight;
}

void sct_layout_triple_insert(sct_layout_triple *list, int *count, int most,
                              const sct_layout_triple *item) {
    int at = *count;
    for (; at > 0 && list[at - 1].score > item->score; at--)
        list[at] = list[at - 1];
    list[at] = *item;
    if (++*count > most)
        sct_layout_triple_clear(&list[--*count]);
}

/* Scores the product's current layouts, and keeps them if they are among the best. */
static void consider(sct_layout_search *search, int stay) {
    sct_layout_triple triple = {.stay = stay};
    if (!fits(search))
        return;
    bool full = search->count == SCT_FINALISTS;
    triple.score = score(search, stay, -1, full ? search->best[search->count - 1].score : INFINITY);
    for (int i = 0; i < SCT_MATS; i++)
        triple.layout[i] = sct_layout_hold(search->context.product.layout[i]);
    sct_layout_triple_insert(search->best, &search->count, SCT_FINALISTS, &triple);
}

/* Lists the layouts of a moving matrix for the current stationary layout. */
static sct_status list_moving(const sct_layout_search *search, int stay, int matrix,
                              sct_candidates *list) {
    const sct_search_context *context = &search->context;
    bool replicas = matrix != SCT_MAT_C && context->search.uses > 1;
    sct_status status = SCT_OK;
    for (int i = 0; i < search->moving[matrix].count && !status; i++)
        status = sct_candidates_add(list, search->moving[matrix].layout[i]);
    if (!status && (!context->fixed[matrix] || context->search.redistribute))
        status = sct_candidates_along(&context->product, stay, matrix, replicas, list);
    return status;
}

/* Keeps the best layouts of a moving matrix, as triples of which only this layout is set. */
static void keep_best(sct_layout_search *search, int stay, int matrix, const sct_candidates *list,
                      sct_layout_triple *kept, int *count) {
    const sct_layout **place = &search->context.product.layout[matrix], *before = *place;
    for (int i = 0; i < list->count; i++) {
        sct_layout_triple triple = {.stay = stay};
        *place = list->layout[i];
        if (!fits(search))
            continue;
        double most = *count == KEPT ? kept[KEPT - 1].score : INFINITY;
        triple.score = score(search, stay, matrix, most);
        triple.layout[matrix] = sct_layout_hold(*place);
        sct_layout_triple_insert(kept, count, KEPT, &triple);
    }
    *place = before;
}

/* Tries moving layouts beside one stationary layout. */
static sct_status look_beside(sct_layout_search *search, int stay) {
    sct_product *product = &search->context.product;
    const int mover[2] = {stay == SCT_MAT_A ? SCT_MAT_B : SCT_MAT_A,
                          stay == SCT_MAT_C ? SCT_MAT_B : SCT_MAT_C};
    sct_candidates list[2] = {{.count = 0}, {.count = 0}};
    sct_layout_triple kept[2][KEPT + 1];
    int count[2] = {0, 0};
    sct_status status = SCT_OK;
    for (int i = 0; i < 2; i++)
        product->layout[mover[i]] = search->moving[mover[i]].layout[0];
    for (int i = 0; i < 2 && !status; i++) {
        status = list_moving(search, stay, mover[i], &list[i]);
        if (!status)
            keep_best(search, stay, mover[i], &list[i], kept[i], &count[i]);
    }
    for (int i = 0; !status && i < count[0]; i++)
        for (int j = 0; j < count[1]; j++) {
            product->layout[mover[0]] = kept[0][i].layout[mover[0]];
            product->layout[mover[1]] = kept[1][j].layout[mover[1]];
            consider(search, stay);
        }
    for (int i = 0; i < 2; i++) {
        while (count[i] > 0)
            sct_layout_triple_clear(&kept[i][--count[i]]);
        sct_candidates_clear(&list[i]);
    }
    return status;
}

sct_status sct_layout_search_run(sct_layout_search *search) {
    sct_status status = SCT_OK;
    sct_stay wanted = search->context.options.stay;
    while (search->count > 0)
        sct_layout_triple_clear(&search->best[--search->count]);
    for (int stay = 0; stay < SCT_MATS; stay++) {
        if (wanted != SCT_STAY_AUTO && wanted != (sct_stay)(SCT_STAY_A + stay))
            continue;
        for (int i = 0; i < search->staying[stay].count && !status; i++) {
            search->context.product.layout[stay] = search->staying[stay].layout[i];
            status = look_beside(search, stay);
        }
    }
    return status;
}
