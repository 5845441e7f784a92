/* grid_search.c - looks for the layouts with which a product takes the least.
 *
 * Beside each layout of each matrix that could stay, the moving matrices do not depend on each
 * other: the best few of each are found alone, then put together. What is best without plans is
 * planned in the end. */
#include "choose/candidates.h"
#include "choose/search.h"

#include "base/checked.h"

#include <math.h>

/* Layouts of a moving matrix that are kept beside one that stays. */
enum { KEPT = 3 };
/* A layout with a map of ranks, or with cuts, has to be better by this: people have to read it. */
static const double long_costs = 1.005;

typedef struct sct_kept {
    int count;
    const sct_layout *layout[KEPT + 1];
    double score[KEPT + 1];
} sct_kept;

static bool fits(const sct_hunt *hunt) {
    uint64_t memory = hunt->seeker.search.memory;
    return hunt->smallest || !memory || sct_seek_parts(&hunt->seeker, 0) <= memory;
}

/* The lower the better; `matrix`: of a moving one alone, or -1. What is not below `most` need not
 * be found out further. */
static double score(const sct_hunt *hunt, int stay, int matrix, double most) {
    const sct_seeker *seeker = &hunt->seeker;
    if (hunt->smallest)
        return (double)sct_seek_parts(seeker, 0);
    double weight = sct_seek_weigh(seeker, stay, matrix, most);
    for (int i = 0; i < SCT_MATS; i++)
        if (!seeker->fixed[i] && sct_layout_is_long(seeker->product.layout[i]))
            weight *= long_costs;
    return weight;
}

void sct_three_sort_in(sct_three *list, int *count, int most, const sct_three *item) {
    int at = *count;
    for (; at > 0 && list[at - 1].score > item->score; at--)
        list[at] = list[at - 1];
    list[at] = *item;
    if (++*count > most)
        sct_three_drop(&list[--*count]);
}

/* Considers the layouts that the product has. */
static void consider(sct_hunt *hunt, int stay) {
    sct_three three = {.stay = stay};
    if (!fits(hunt))
        return;
    bool full = hunt->count == SCT_FINALISTS;
    three.score = score(hunt, stay, -1, full ? hunt->best[hunt->count - 1].score : INFINITY);
    for (int i = 0; i < SCT_MATS; i++)
        three.layout[i] = sct_layout_hold(hunt->seeker.product.layout[i]);
    sct_three_sort_in(hunt->best, &hunt->count, SCT_FINALISTS, &three);
}

/* The layouts that a moving matrix may have beside the one that stays. */
static sct_status list_moving(const sct_hunt *hunt, int stay, int matrix, sct_candidates *list) {
    const sct_seeker *seeker = &hunt->seeker;
    bool replicas = matrix != SCT_MAT_C && seeker->search.uses > 1;
    sct_status status = SCT_OK;
    for (int i = 0; i < hunt->moving[matrix].count && !status; i++)
        status = sct_candidates_add(list, hunt->moving[matrix].layout[i]);
    if (!status && (!seeker->fixed[matrix] || seeker->search.redistribute))
        status = sct_candidates_along(&seeker->product, stay, matrix, replicas, list);
    return status;
}

static void keep_best(sct_hunt *hunt, int stay, int matrix, const sct_candidates *list,
                      sct_kept *kept) {
    const sct_layout **place = &hunt->seeker.product.layout[matrix], *before = *place;
    kept->count = 0;
    for (int i = 0; i < list->count; i++) {
        *place = list->layout[i];
        if (!fits(hunt))
            continue;
        bool full = kept->count == KEPT;
        double found = score(hunt, stay, matrix, full ? kept->score[KEPT - 1] : INFINITY);
        int at = kept->count;
        for (; at > 0 && kept->score[at - 1] > found; at--) {
            kept->layout[at] = kept->layout[at - 1];
            kept->score[at] = kept->score[at - 1];
        }
        kept->layout[at] = list->layout[i];
        kept->score[at] = found;
        kept->count = (int)sct_min(kept->count + 1, KEPT);
    }
    *place = before;
}

/* Looks at all that can go with the layout of the matrix that stays. */
static sct_status look_beside(sct_hunt *hunt, int stay) {
    sct_product *product = &hunt->seeker.product;
    const int mover[2] = {stay == SCT_MAT_A ? SCT_MAT_B : SCT_MAT_A,
                          stay == SCT_MAT_C ? SCT_MAT_B : SCT_MAT_C};
    sct_candidates list[2] = {{.count = 0}, {.count = 0}};
    sct_kept kept[2];
    sct_status status = SCT_OK;
    for (int i = 0; i < 2; i++)
        product->layout[mover[i]] = hunt->moving[mover[i]].layout[0];
    for (int i = 0; i < 2 && !status; i++) {
        status = list_moving(hunt, stay, mover[i], &list[i]);
        if (!status)
            keep_best(hunt, stay, mover[i], &list[i], &kept[i]);
    }
    for (int i = 0; !status && i < kept[0].count; i++)
        for (int j = 0; j < kept[1].count; j++) {
            product->layout[mover[0]] = kept[0].layout[i];
            product->layout[mover[1]] = kept[1].layout[j];
            consider(hunt, stay);
        }
    for (int i = 0; i < 2; i++)
        sct_candidates_clear(&list[i]);
    return status;
}

sct_status sct_hunt_run(sct_hunt *hunt) {
    sct_status status = SCT_OK;
    sct_stay wanted = hunt->seeker.options.stay;
    while (hunt->count > 0)
        sct_three_drop(&hunt->best[--hunt->count]);
    for (int stay = 0; stay < SCT_MATS; stay++) {
        if (wanted != SCT_STAY_AUTO && wanted != (sct_stay)(SCT_STAY_A + stay))
            continue;
        for (int i = 0; i < hunt->staying[stay].count && !status; i++) {
            hunt->seeker.product.layout[stay] = hunt->staying[stay].layout[i];
            status = look_beside(hunt, stay);
        }
    }
    return status;
}
