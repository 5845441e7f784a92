/* tiles.c - finds the tiles that a plan fetches whole, and the number of steps that use each. */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

/* A piece of a dimension, from one of its two matrices. */
typedef struct sct_tiled {
    sct_tile_span *tile;
    int64_t uses; /* by this piece alone */
} sct_tiled;

int64_t sct_plan_partner_count(const sct_plan *plan, const sct_piece_list *list, int matrix) {
    bool own = list->dim != sct_free_dim(plan->work.shape);
    return own && matrix != plan->work.shape ? list->partners : 1;
}

/* The block of an index, clipped to the view. */
static sct_span block_span(const sct_dimension *d, int side, int64_t index) {
    const sct_axis *axis = d->axis[side];
    int64_t offset = d->offset[side], block = sct_axis_block(axis, index + offset);
    sct_range bounds = sct_axis_bounds(axis, block);
    int64_t lo = sct_max(bounds.lo, d->range.lo + offset);
    int64_t hi = sct_min(bounds.hi, d->range.hi + offset);
    return (sct_span){.at = sct_axis_position(axis, block) + lo - bounds.lo,
                      .count = hi - lo,
                      .coord = sct_axis_owner(axis, block)};
}

/* Finds the tiles of one list, without their uses, and appends its pieces to `all`. */
static sct_status find_tiles(const sct_plan *plan, int side, sct_piece_list *list, sct_tiled *all) {
    sct_dimension d = sct_product_dimension(&plan->product, list->dim);
    int matrix = sct_dim_matrix(list->dim, side);
    int64_t count = list->pieces.count;
    sct_tile_span *tile = malloc(((size_t)count + 1) * sizeof *tile);
    if (!tile)
        return sct_fail(SCT_NO_MEMORY, "no memory for the tiles of %lld pieces", (long long)count);
    sct_reader reader = {.pieces = NULL};
    sct_piece piece;
    for (int64_t i = 0; i < count; i++) {
        sct_pieces_read(&list->pieces, i, &reader, &piece);
        tile[i] = (sct_tile_span){.span = block_span(&d, side, piece.indices.first.lo)};
        all[i] = (sct_tiled){&tile[i], sct_plan_partner_count(plan, list, matrix)};
    }
    list->tile[side] = tile;
    return SCT_OK;
}

static int compare(const void *left, const void *right) {
    const sct_span *l = &((const sct_tiled *)left)->tile->span;
    const sct_span *r = &((const sct_tiled *)right)->tile->span;
    if (l->coord != r->coord)
        return l->coord < r->coord ? -1 : 1;
    return l->at < r->at ? -1 : l->at > r->at;
}

/* Gives pieces of the same tile, in any list, their total of uses. */
static void share_uses(sct_tiled *all, int64_t count) {
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int64_t from = 0, to; from < count; from = to) {
        int64_t uses = 0;
        for (to = from; to < count && compare(&all[from], &all[to]) == 0; to++)
            uses += all[to].uses;
        for (int64_t i = from; i < to; i++)
            all[i].tile->uses = uses;
    }
}

static sct_status find_side(sct_plan *plan, int dim, int side) {
    int64_t count = 0;
    for (int i = 0; i < plan->lists; i++)
        count += plan->list[i].dim == dim ? plan->list[i].pieces.count : 0;
    sct_tiled *all = malloc(((size_t)count + 1) * sizeof *all);
    if (!all)
        return sct_fail(SCT_NO_MEMORY, "no memory for the tiles of %lld pieces", (long long)count);
    sct_status status = SCT_OK;
    int64_t done = 0;
    for (int i = 0; i < plan->lists && !status; i++)
        if (plan->list[i].dim == dim) {
            status = find_tiles(plan, side, &plan->list[i], all + done);
            done += plan->list[i].pieces.count;
        }
    if (!status)
        share_uses(all, count);
    free(all);
    return status;
}

sct_status sct_plan_find_tiles(sct_plan *plan) {
    sct_status status = SCT_OK;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (int side = 0; side < 2 && !status; side++)
            if (sct_dim_matrix(dim, side) != SCT_MAT_C)
                status = find_side(plan, dim, side);
    return status;
}
