/* grid_search.c - searches for layouts of the work and of the three matrices by estimates.
 *
 * Beside a work layout, the matrices are independent of each other. So the best few layouts of each
 * are found separately, and then combined; that of a stationary matrix is the work layout itself.
 * finalists.c plans the best triples. */
#include "choose/candidates.h"
#include "choose/search.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

static bool fits(const sct_layout_search *search) {
    uint64_t memory = search->context.search.memory;
    return search->smallest || !memory || sct_score_stored_bytes(&search->context, 0) <= memory;
}

/* The score, lower is better, of everything (-1) or of one matrix. Need not be exact beyond `most`.
 */
static double score(const sct_layout_search *search, int matrix, double most) {
    const sct_search_context *context = &search->context;
    if (search->smallest)
        return (double)sct_score_stored_bytes(context, 0);
    return sct_score_layouts(context, matrix, most);
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

/* ---- Layouts beside one work layout ---- */

/* A work layout, which may keep the matrix of its shape stationary. */
typedef struct sct_dealt {
    int shape;
    const sct_layout *layout;
    bool stationary;
    double score;
    int place; /* in the list of all */
} sct_dealt;

/* For one work layout: the candidate layouts of each matrix, and the best of them. Each of these
 * triples has the layout of one matrix only. */
typedef struct sct_beside {
    sct_dealt *dealt;
    sct_candidates list[SCT_MATS];
    int first[SCT_MATS]; /* of the list that is tried */
    int count[SCT_MATS];
    sct_layout_triple kept[SCT_MATS][SCT_KEPT + 1];
} sct_beside;

/* Takes layouts beside the work layout into consideration. False if they do not fit into memory, or
 * keep a matrix in place that is not to be stationary: that is another case. */
static bool consider(sct_layout_search *search, const sct_dealt *dealt,
                     const sct_layout *const *layout) {
    sct_score_consider(&search->context, layout, dealt->shape, dealt->layout);
    return fits(search) && search->context.work.stationary == dealt->stationary;
}

/* Scores three layouts, and keeps them if they are among the best. */
static void compare(sct_layout_search *search, sct_dealt *dealt, const sct_layout *const *layout) {
    sct_layout_triple triple = {.shape = dealt->shape};
    if (!consider(search, dealt, layout))
        return;
    bool full = search->count == SCT_FINALISTS;
    triple.score = score(search, -1, full ? search->best[search->count - 1].score : INFINITY);
    dealt->score = fmin(dealt->score, triple.score);
    for (int i = 0; i < SCT_MATS; i++)
        triple.layout[i] = sct_layout_hold(layout[i]);
    if (!dealt->stationary)
        triple.work = sct_layout_hold(dealt->layout);
    sct_layout_triple_insert(search->best, &search->count, SCT_FINALISTS, &triple);
}

/* Lists the layouts of a matrix: the general ones first. */
static sct_status list_one(const sct_layout_search *search, const sct_dealt *dealt, int matrix,
                           sct_candidates *list) {
    const sct_search_context *context = &search->context;
    bool replicas = matrix != SCT_MAT_C && context->search.uses > 1;
    const sct_work_layout work = sct_work_by_layout(&context->product, dealt->shape, dealt->layout);
    sct_status status = SCT_OK;
    if (dealt->stationary && matrix == dealt->shape)
        return sct_candidates_add(list, dealt->layout);
    for (int i = 0; i < search->moving[matrix].count && !status; i++)
        status = sct_candidates_add(list, search->moving[matrix].layout[i]);
    if (!status && (!context->fixed[matrix] || context->search.redistribute))
        status = sct_candidates_along(&context->product, &work, matrix, replicas, list);
    return status;
}

static sct_status list_all(const sct_layout_search *search, sct_beside *beside) {
    sct_status status = SCT_OK;
    for (int i = 0; i < SCT_MATS && !status; i++)
        status = list_one(search, beside->dealt, i, &beside->list[i]);
    return status;
}

static void clear(sct_beside *beside) {
    for (int i = 0; i < SCT_MATS; i++) {
        while (beside->count[i] > 0)
            sct_layout_triple_clear(&beside->kept[i][--beside->count[i]]);
        sct_candidates_clear(&beside->list[i]);
    }
}

/* Keeps the best layouts of a matrix, beside others that do not matter. */
static void keep_best(sct_layout_search *search, sct_beside *beside, int matrix, int most,
                      const sct_layout **layout) {
    const sct_candidates *list = &beside->list[matrix];
    sct_layout_triple *kept = beside->kept[matrix];
    int *count = &beside->count[matrix];
    const sct_layout *before = layout[matrix];
    for (int i = beside->first[matrix]; i < list->count; i++) {
        sct_layout_triple triple = {.shape = beside->dealt->shape};
        layout[matrix] = list->layout[i];
        if (!consider(search, beside->dealt, layout))
            continue;
        triple.score = score(search, matrix, *count == most ? kept[most - 1].score : INFINITY);
        triple.layout[matrix] = sct_layout_hold(list->layout[i]);
        sct_layout_triple_insert(kept, count, most, &triple);
    }
    layout[matrix] = before;
}

/* Compares all combinations of the layouts kept. */
static void combine(sct_layout_search *search, const sct_beside *beside) {
    const int *count = beside->count;
    for (int i = 0; i < count[SCT_MAT_A] * count[SCT_MAT_B] * count[SCT_MAT_C]; i++) {
        const sct_layout *layout[SCT_MATS];
        for (int matrix = 0, at = i; matrix < SCT_MATS; at /= count[matrix++])
            layout[matrix] = beside->kept[matrix][at % count[matrix]].layout[matrix];
        compare(search, beside->dealt, layout);
    }
}

/* Tries layouts of the matrices together with one work layout: all of them, or, with `along`, only
 * the best of those that lie along it, if any do. The work layout gets the score of the best
 * triple. */
static sct_status look_beside(sct_layout_search *search, sct_dealt *dealt, bool along) {
    sct_beside beside = {.dealt = dealt};
    const sct_layout *layout[SCT_MATS];
    sct_status status = list_all(search, &beside);
    dealt->score = INFINITY;
    for (int i = 0; i < SCT_MATS && !status; i++) {
        int general = search->moving[i].count;
        beside.first[i] = along && beside.list[i].count > general ? general : 0;
        layout[i] = beside.list[i].layout[beside.first[i]];
    }
    for (int i = 0; i < SCT_MATS && !status; i++) {
        keep_best(search, &beside, i, along ? 1 : SCT_KEPT, layout);
        if (along && beside.count[i] > 0)
            layout[i] = beside.kept[i]->layout[i];
    }
    if (!status)
        combine(search, &beside);
    clear(&beside);
    return status;
}

/* ---- Work layouts ---- */

static int compare_scores(const void *one, const void *other) {
    const sct_dealt *x = one, *y = other;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return x->place - y->place;
}

/* Looks beside the most promising work layouts. The triples that show which these are do not count,
 * nor do those of an earlier search. */
static sct_status look_beside_best(sct_layout_search *search, sct_dealt *list, int count) {
    sct_status status = SCT_OK;
    for (int i = 0; i < count && !status; i++)
        status = look_beside(search, &list[i], true);
    while (search->count > 0)
        sct_layout_triple_clear(&search->best[--search->count]);
    if (!status)
        qsort(list, (size_t)count, sizeof *list, compare_scores);
    for (int i = 0; i < count && i < SCT_FINALISTS && !status; i++)
        status = look_beside(search, &list[i], false);
    return status;
}

/* Lists the work layouts: all that keep a matrix, and those that keep none. */
static int list_dealt(const sct_layout_search *search, sct_dealt *list) {
    int count = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        for (int i = 0; i < search->staying[matrix].count; i++, count++)
            list[count] = (sct_dealt){matrix, search->staying[matrix].layout[i], true, 0, count};
    for (int i = 0; i < search->work.count; i++, count++)
        list[count] = (sct_dealt){search->shape, search->work.layout[i], false, 0, count};
    return count;
}

sct_status sct_layout_search_run(sct_layout_search *search) {
    size_t room = (size_t)search->work.count;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        room += (size_t)search->staying[matrix].count;
    sct_dealt *list = malloc(room * sizeof *list);
    if (!list)
        return sct_no_memory("work layouts");
    sct_status status = look_beside_best(search, list, list_dealt(search, list));
    free(list);
    return status;
}
