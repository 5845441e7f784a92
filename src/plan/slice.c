/* slice.c - the generator: cuts the dimensions of a rank's work into pieces, and makes its boxes
 * of steps, as the decisions of the plan say; finds the order in which loops visit pieces, and the
 * tiles that are fetched whole.
 *
 * These are the paper's Algorithms 1 and 2 for any work layout, on sets of indices instead of
 * tiles. */
#include "base/checked.h"
#include "base/status.h"
#include "plan/plan.h"

#include <stdlib.h>

/* ---- Direct order, in which loops visit pieces; src/order/ has the others ----
 *
 * Where the slices of owners are cut into panels, the owners alternate. */

/* Instead of a piece. */
enum { NONE = -1, ANY = -2 };

static bool is_far(const sct_plan *plan, int matrix) {
    return !sct_product_all_near(&plan->product, matrix);
}

static bool has_owner(const sct_spans *spans, int coord) {
    for (int64_t i = 0; i < sct_spans_listed(spans); i++)
        if (sct_spans_item(spans, i).coord == coord)
            return true;
    return false;
}

/* The first piece with a local part of a matrix; NONE; or ANY, if all have one. */
static int64_t local_piece(const sct_plan *plan, const sct_piece_list *list, int matrix) {
    const sct_layout *layout = plan->product.layout[matrix];
    if (sct_layout_cells(layout, plan->rank) == 0)
        return NONE;
    sct_cell cell = sct_layout_cell(layout, plan->rank, 0);
    int coord = sct_product_coord(&plan->product, matrix, list->dim, cell);
    int side = sct_matrix_side(matrix, list->dim);
    sct_reader reader = {.pieces = NULL};
    int64_t local = NONE;
    bool all = true;
    for (int64_t i = 0; i < list->pieces.count && (local == NONE || all); i++) {
        sct_piece piece;
        sct_pieces_read(&list->pieces, i, &reader, &piece);
        if (!has_owner(&piece.side[side], coord))
            all = false;
        else if (local == NONE)
            local = i;
    }
    return all ? ANY : local;
}

/* Whether each piece contains parts of several ranks of this side's matrix, some of them remote. */
static bool is_gathered(const sct_plan *plan, const sct_piece_list *list, int side) {
    const sct_dimension *dimension = &list->pieces.dimension;
    return dimension->ignore_owners[side] && dimension->axis[side]->coords > 1 &&
           is_far(plan, sct_dim_matrix(list->dim, side));
}

/* Whether the place of the rank's own part of a matrix decides where a loop begins. It does if the
 * loop begins with the own part of all matrices, or, otherwise, of C, and has a piece for each
 * owner; and in a shifted loop if all pieces are gathered. */
static bool starts_at_local(const sct_plan *plan, const sct_piece_list *list, int side,
                            sct_begin begin) {
    const sct_pieces *pieces = &list->pieces;
    if (begin == SCT_BEGIN_SHIFTED)
        return pieces->sets == 1 && is_gathered(plan, list, side);
    bool own = begin == SCT_BEGIN_OWN || sct_dim_matrix(list->dim, side) == SCT_MAT_C;
    return pieces->split[side] && own;
}

/* The first piece that has the rank's own parts. NONE if they are in different pieces. */
static int64_t own_piece(const sct_plan *plan, const sct_piece_list *list, sct_begin begin) {
    int64_t own = NONE;
    for (int side = 0; side < 2; side++) {
        if (!starts_at_local(plan, list, side, begin))
            continue;
        int64_t local = local_piece(plan, list, sct_dim_matrix(list->dim, side));
        if (local == NONE || (own != NONE && local != ANY && local != own))
            return NONE;
        own = local == ANY ? own : local;
    }
    return own;
}

/* True if pieces are remote and have several owners, even if gathered into one panel. */
static bool has_remote_owners(const sct_plan *plan, const sct_piece_list *list) {
    bool far = false;
    for (int side = 0; side < 2; side++)
        far |= is_gathered(plan, list, side) ||
               (list->pieces.split[side] && is_far(plan, sct_dim_matrix(list->dim, side)));
    return far;
}

/* The shifted start: row plus column of the rank's cell. Replicas of a cell that read the same
 * remote pieces start apart. */
static int64_t shifted_start(const sct_plan *plan, const sct_box *box, const sct_piece_list *list) {
    const sct_layout *work = plan->work.layout;
    int64_t shift = (int64_t)box->cell.row + box->cell.col, sets = list->pieces.sets;
    int64_t most = (int64_t)work->rows.coords + work->cols.coords - 1;
    int64_t home =
        list->coord >= 0 && has_remote_owners(plan, list) ? sct_layout_home(work, plan->rank) : 0;
    return shift * sct_max(1, sets / most) + home * sct_max(1, sets / work->replicas);
}

/* The loop order of one dimension of a box. */
static sct_loop_order plan_loop_order(const sct_plan *plan, const sct_box *box, int dim) {
    const sct_piece_list *list = &plan->list[box->list[dim]];
    const sct_pieces *pieces = &list->pieces;
    sct_begin begin = plan->decisions.begin[dim];
    if (begin == SCT_BEGIN_FIRST || pieces->count == 0)
        return (sct_loop_order){0, 1};
    int64_t row = (pieces->count - 1) / pieces->sets + 1, own = own_piece(plan, list, begin);
    int64_t within = begin == SCT_BEGIN_HALFWAY ? row / 2 : 0;
    if (own != NONE && (begin == SCT_BEGIN_SHIFTED || begin == SCT_BEGIN_HALFWAY))
        return (sct_loop_order){(own + within) % pieces->count, 1};
    int64_t first =
        own == NONE ? shifted_start(plan, box, list) : own / row + (begin == SCT_BEGIN_BEHIND_OWN);
    return (sct_loop_order){first % pieces->count, row};
}

int64_t sct_loop_order_piece(sct_loop_order order, int64_t turn, int64_t count) {
    int64_t at = (turn + order.start) % count;
    if (order.row == 1)
        return at;
    int64_t rows = (count - 1) / order.row + 1, short_row = count - (rows - 1) * order.row;
    int64_t rest = at - rows * short_row;
    return rest < 0 ? at % rows * order.row + at / rows
                    : rest % (rows - 1) * order.row + short_row + rest / (rows - 1);
}

/* ---- Tiles that are fetched whole ---- */

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

/* Finds the tile of each piece, for fetching whole tiles. */
static sct_status plan_find_tiles(sct_plan *plan) {
    sct_status status = SCT_OK;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        for (int side = 0; side < 2 && !status; side++)
            if (sct_dim_matrix(dim, side) != SCT_MAT_C)
                status = find_side(plan, dim, side);
    return status;
}

/* ---- Pieces, boxes and steps ---- */

sct_dimension sct_plan_dimension(const sct_plan *plan, int dim, sct_cell cell) {
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    sct_work_indices found = sct_work_find(&plan->product, &plan->work, dim, plan->rank, cell);
    d.range = sct_product_empty(&plan->product) ? (sct_range){0, 0} : found.range;
    d.only = found.class;
    d.cutting = plan->options.slicing == SCT_SLICE_TILE ? SCT_CUT_TILES : SCT_CUT_CLASSES;
    return d;
}

static sct_status slice(const sct_plan *plan, int dim, sct_cell cell, sct_pieces *pieces) {
    sct_dimension d = sct_plan_dimension(plan, dim, cell);
    d.most = plan->decisions.most[dim];
    for (int side = 0; side < 2; side++)
        d.ignore_owners[side] = plan->decisions.gather[dim][side];
    sct_status status = sct_pieces_create(&d, pieces);
    return status ? status : sct_pieces_store_few(pieces);
}

/* The list for a coordinate, made on first use. */
static sct_status find_list(sct_plan *plan, int dim, sct_cell cell, int *index) {
    int coord = sct_plan_dimension(plan, dim, cell).only.coord;
    for (*index = plan->lists - 1; *index > 0; --*index)
        if (plan->list[*index].dim == dim && plan->list[*index].coord == coord)
            return SCT_OK;
    *index = plan->lists;
    sct_piece_list *list = &plan->list[plan->lists];
    *list = (sct_piece_list){.dim = dim, .coord = coord};
    sct_status status = slice(plan, dim, cell, &list->pieces);
    if (!status)
        plan->lists++;
    return status;
}

static sct_status add_box(sct_plan *plan, sct_cell cell) {
    sct_box *box = &plan->box[plan->boxes++];
    *box = (sct_box){.cell = cell};
    sct_status status = SCT_OK;
    for (int which = 0; which < 2 && !status; which++) {
        int dim = sct_matrix_dim(plan->work.shape, which);
        status = find_list(plan, dim, cell, &box->list[dim]);
    }
    return status;
}

/* Numbers the pieces through all lists. */
static void number_pieces(sct_plan *plan) {
    int64_t number = 0;
    for (int i = 0; i < plan->lists; i++) {
        sct_piece_list *list = &plan->list[i];
        list->first = number;
        number += list->pieces.count;
        plan->largest[list->dim] = sct_max(plan->largest[list->dim], list->pieces.largest);
        plan->stretches += list->pieces.stretches;
    }
}

/* Numbers the steps of each box and finds its loop orders. Boxes without steps are dropped. */
static sct_status number_steps(sct_plan *plan) {
    int first = sct_matrix_dim(plan->work.shape, 0), second = sct_matrix_dim(plan->work.shape, 1),
        kept = 0;
    for (int i = 0; i < plan->boxes; i++) {
        sct_box box = plan->box[i];
        sct_piece_list *own[2] = {&plan->list[box.list[first]], &plan->list[box.list[second]]};
        int64_t steps;
        box.first = plan->steps;
        if (!sct_multiply_fits(own[0]->pieces.count, own[1]->pieces.count, &steps) ||
            !sct_multiply_fits(steps, plan->list[0].pieces.count, &steps) ||
            !sct_add_fits(plan->steps, steps, &plan->steps))
            return sct_fail(SCT_TOO_LARGE, "the plan of rank %d has more than 2^63 steps",
                            plan->rank);
        own[0]->partners += steps ? own[1]->pieces.count : 0;
        own[1]->partners += steps ? own[0]->pieces.count : 0;
        for (int dim = 0; dim < SCT_DIMS; dim++)
            box.order[dim] = plan_loop_order(plan, &box, dim);
        box.steps = steps;
        if (steps)
            plan->box[kept++] = box;
    }
    plan->boxes = kept;
    return SCT_OK;
}

sct_status sct_plan_slice(sct_plan *plan) {
    const sct_layout *work = plan->work.layout;
    bool empty = sct_product_empty(&plan->product);
    int cells = empty ? 0 : sct_layout_cells(work, plan->rank);
    int free_dim = sct_free_dim(plan->work.shape);
    plan->box = calloc((size_t)cells + 1, sizeof *plan->box);
    plan->list = calloc(2 * (size_t)cells + 1, sizeof *plan->list);
    if (!plan->box || !plan->list)
        return sct_fail(SCT_NO_MEMORY, "no memory for a plan of %d cells", cells);
    plan->list[0] = (sct_piece_list){.dim = free_dim, .coord = -1};
    plan->lists = 1;
    sct_status status = SCT_OK;
    for (int block = 0; block < cells && !status; block++)
        status = add_box(plan, sct_layout_cell(work, plan->rank, block));
    if (!status)
        status = slice(plan, free_dim, (sct_cell){0, 0}, &plan->list[0].pieces);
    if (status)
        return status;
    number_pieces(plan);
    status = number_steps(plan);
    return status || plan->options.fetch == SCT_FETCH_SLICE ? status : plan_find_tiles(plan);
}

void sct_plan_unslice(sct_plan *plan) {
    for (int i = 0; i < plan->lists; i++) {
        sct_pieces_clear(&plan->list[i].pieces);
        free(plan->list[i].tile[0]);
        free(plan->list[i].tile[1]);
    }
    free(plan->list);
    free(plan->box);
    plan->list = NULL;
    plan->box = NULL;
    plan->lists = plan->boxes = 0;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        plan->largest[dim] = 0;
    plan->steps = plan->stretches = 0;
    free(plan->groups.group);
    free(plan->groups.ordered);
    free(plan->groups.prefetch);
    plan->groups = (sct_group_list){.count = 0};
}
