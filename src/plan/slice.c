/* slice.c - the generator: cuts the dimensions of a rank's work into pieces, and makes its boxes of
 * steps.
 *
 * These are the paper's Algorithms 1 and 2 for any work layout, on sets of indices instead of
 * tiles.
 */
#include "plan/contribution.h"
#include "plan/plan.h"

#include "base/checked.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

static sct_status slice(const sct_plan *plan, sct_dimension *d, int64_t most, sct_pieces *pieces) {
    bool tiles = plan->options.slicing == SCT_SLICE_TILE;
    d->cutting = tiles ? SCT_CUT_TILES : SCT_CUT_CLASSES;
    d->most = most;
    return sct_pieces_create(d, pieces);
}

static sct_status slice_again(const sct_plan *plan, sct_dimension *d, int64_t most,
                              sct_pieces *pieces) {
    sct_pieces_clear(pieces);
    return slice(plan, d, most, pieces);
}

/* Cost per element of gathering a moving matrix into one panel: one copy for A and B; a read and a
 * write for C, unless C is accumulated anyway. Remote A and B are never gathered, so that the slice
 * of one owner travels while another is used. */
static double gather_cost(const sct_plan *plan, int matrix, int dim, const sct_pieces *pieces) {
    const sct_product *product = &plan->product;
    if (sct_product_all_near(product, matrix))
        return matrix != SCT_MAT_C ? 1 : plan->exclusive ? 2 : 0;
    if (matrix != SCT_MAT_C)
        return INFINITY;
    return sct_contribution_gather_cost(product, plan->options.machine, dim, (double)pieces->count,
                                        (double)pieces->total);
}

/* Cuts one dimension of a stationary matrix. Owners of the moving matrix are ignored, and one panel
 * is gathered from all of them, if the panel must be gathered anyway, if the stationary matrix
 * would be scattered, if pieces would be too thin for the BLAS, or if rereading the third matrix
 * for each piece of m or n costs more than the panel. */
static sct_status slice_stationary(const sct_plan *plan, int dim, sct_cell cell, int64_t most,
                                   sct_pieces *pieces) {
    const sct_work_layout *work = &plan->work;
    int side = sct_matrix_side(work->shape, dim);
    int across = sct_matrix_dim(work->shape, sct_matrix_dim(work->shape, 0) == dim);
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    d.only = sct_work_class(work, dim, cell);
    d.ignore_owners[!side] =
        plan->options.slicing == SCT_SLICE_CLASS && sct_pieces_begin_scattered(&d);
    if (d.ignore_owners[!side])
        return slice(plan, &d, most, pieces);
    sct_status status = slice(plan, &d, 0, pieces);
    if (status)
        return status;
    bool thin = sct_pieces_thin(pieces->count, pieces->total);
    int moving = sct_dim_matrix(dim, !side);
    double reread = (double)(pieces->count - 1) *
                    (double)sct_work_extent(&plan->product, work, across, plan->rank, cell);
    double panel = (double)pieces->total * gather_cost(plan, moving, dim, pieces);
    bool cheaper = dim != SCT_DIM_K && reread >= panel;
    d.ignore_owners[!side] = thin || cheaper || pieces->scattered[0] || pieces->scattered[1];
    bool merges = d.ignore_owners[!side] && pieces->count > 1 && d.cutting != SCT_CUT_TILES;
    if (merges && cheaper && !sct_product_all_near(&plan->product, moving))
        most = most > 0 ? sct_min(most, SCT_CONTRIBUTION_LARGE) : SCT_CONTRIBUTION_LARGE;
    return merges || most ? slice_again(plan, &d, most, pieces) : SCT_OK;
}

/* True if a moving matrix is gathered however a dimension is cut, because another one scatters it.
 */
static bool is_gathered_anyway(const sct_plan *plan, int matrix) {
    for (int i = 1; i < plan->lists; i++) {
        const sct_piece_list *list = &plan->list[i];
        if (sct_matrix_has(matrix, list->dim) &&
            list->pieces.scattered[sct_matrix_side(matrix, list->dim)])
            return true;
    }
    return false;
}

double sct_plan_extent(const sct_plan *plan, int dim) {
    double sum = 0;
    for (int i = 0; i < plan->lists; i++)
        if (plan->list[i].dim == dim)
            sum += (double)plan->list[i].pieces.total;
    return sum;
}

/* The elements of the matrix that lacks a dimension that one cell works on; without a cell: all
 * cells of the rank. */
static double third_matrix(const sct_plan *plan, int dim, const sct_cell *cell) {
    double sum = 0;
    int first = dim == SCT_DIM_M ? SCT_DIM_K : SCT_DIM_M,
        second = SCT_DIM_N + SCT_DIM_M + SCT_DIM_K - first - dim;
    if (cell)
        return (double)sct_work_extent(&plan->product, &plan->work, first, plan->rank, *cell) *
               (double)sct_work_extent(&plan->product, &plan->work, second, plan->rank, *cell);
    for (int i = 0; i < plan->boxes; i++) {
        const int *list = plan->box[i].list;
        sum += (double)plan->list[list[first]].pieces.total *
               (double)plan->list[list[second]].pieces.total;
    }
    return sum;
}

/* True if rereading the third matrix for each piece of a dimension costs more than gathering the
 * two that have it. */
static bool is_gathering_cheaper(const sct_plan *plan, int dim, const sct_cell *cell,
                                 const sct_pieces *pieces) {
    double panels = 0;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        int shared = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
        double across =
            cell ? (double)sct_work_extent(&plan->product, &plan->work, shared, plan->rank, *cell)
                 : sct_plan_extent(plan, shared);
        if (pieces->split[side])
            panels += gather_cost(plan, matrix, dim, pieces) * across * (double)pieces->total;
    }
    return (double)(pieces->count - 1) * third_matrix(plan, dim, cell) >= panels;
}

/* True if several owners share the dimension on a side. */
static bool has_several_owners(const sct_dimension *d, int side) {
    const sct_axis *axis = d->axis[side];
    int64_t lo = d->range.lo + d->offset[side], hi = d->range.hi + d->offset[side];
    if (lo >= hi)
        return false;
    int first = sct_axis_owner(axis, sct_axis_block(axis, lo));
    return sct_axis_below(axis, first, hi) - sct_axis_below(axis, first, lo) < hi - lo;
}

/* True unless a dimension can never be gathered on both sides. */
static bool can_gather_both(const sct_plan *plan, int dim, const sct_dimension *d) {
    bool never = dim == SCT_DIM_K;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        bool comes = matrix != SCT_MAT_C && !sct_product_all_near(&plan->product, matrix);
        never = never || (comes && has_several_owners(d, side));
    }
    return !never;
}

/* Decides which sides of a dimension ignore owners: those of matrices that are gathered anyway, or
 * both if that is cheaper, or if the pieces of a cell would be too thin. */
static sct_status choose_gathered_sides(const sct_plan *plan, int dim, const sct_cell *cell,
                                        sct_dimension *d) {
    bool both = false, may = can_gather_both(plan, dim, d);
    sct_pieces pieces;
    if (may || cell) {
        sct_status status = slice(plan, d, 0, &pieces);
        if (status)
            return status;
        both = (may && is_gathering_cheaper(plan, dim, cell, &pieces)) ||
               (cell && sct_pieces_thin(pieces.count, pieces.total));
        sct_pieces_clear(&pieces);
    }
    for (int side = 0; side < 2; side++)
        d->ignore_owners[side] = both || is_gathered_anyway(plan, sct_dim_matrix(dim, side));
    return SCT_OK;
}

/* Cuts a dimension in which both matrices move: the free one, or without a stationary matrix that
 * of a cell. Owners of a matrix that is gathered anyway, even because of this cut, are ignored. */
static sct_status slice_moving(const sct_plan *plan, int dim, const sct_cell *cell, int64_t most,
                               sct_pieces *pieces) {
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    if (cell)
        d.only = sct_work_class(&plan->work, dim, *cell);
    else
        d.range = sct_work_share(&plan->product, &plan->work, plan->rank);
    bool tiles = plan->options.slicing == SCT_SLICE_TILE;
    sct_status status = tiles ? SCT_OK : choose_gathered_sides(plan, dim, cell, &d);
    if (status)
        return status;
    if (tiles || (d.ignore_owners[0] && d.ignore_owners[1]))
        return slice(plan, &d, most, pieces);
    status = slice(plan, &d, 0, pieces);
    bool more =
        pieces->scattered[0] > d.ignore_owners[0] || pieces->scattered[1] > d.ignore_owners[1];
    for (int side = 0; side < 2; side++)
        d.ignore_owners[side] |= pieces->scattered[side];
    return !status && (more || most) ? slice_again(plan, &d, most, pieces) : status;
}

/* The list for a coordinate, made on first use. */
static sct_status find_list(sct_plan *plan, int dim, sct_cell cell, int64_t most, int *index) {
    int coord = sct_work_class(&plan->work, dim, cell).coord;
    for (*index = plan->lists - 1; *index > 0; --*index)
        if (plan->list[*index].dim == dim && plan->list[*index].coord == coord)
            return SCT_OK;
    *index = plan->lists;
    sct_piece_list *list = &plan->list[plan->lists];
    *list = (sct_piece_list){.dim = dim, .coord = coord};
    sct_status status = plan->work.stationary
                            ? slice_stationary(plan, dim, cell, most, &list->pieces)
                            : slice_moving(plan, dim, &cell, most, &list->pieces);
    if (!status)
        plan->lists++;
    return status;
}

static sct_status add_box(sct_plan *plan, sct_cell cell, const int64_t most[SCT_DIMS]) {
    sct_box *box = &plan->box[plan->boxes++];
    *box = (sct_box){.cell = cell};
    sct_status status = SCT_OK;
    for (int which = 0; which < 2 && !status; which++) {
        int dim = sct_matrix_dim(plan->work.shape, which);
        status = find_list(plan, dim, cell, most[dim], &box->list[dim]);
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
            box.order[dim] = sct_plan_loop_order(plan, &box, dim);
        box.steps = steps;
        if (steps)
            plan->box[kept++] = box;
    }
    plan->boxes = kept;
    for (int i = 0; i < kept; i++)
        plan->box[i].hoisted = sct_plan_hoist(plan, &plan->box[i]);
    return SCT_OK;
}

/* The nesting of the loops. Products that add to C in place have k outermost, so that a slice of A
 * or B is used up before the next is needed. Other sums have k innermost and are accumulated once
 * complete; the slices of the shorter of m and n, which the outermost loop uses again, are kept. */
static void choose_nest(sct_plan *plan) {
    const sct_work_layout *work = &plan->work;
    bool in_place =
        sct_work_keeps(work, SCT_MAT_C) || (plan->exclusive && work->shape == SCT_MAT_C &&
                                            sct_product_all_near(&plan->product, SCT_MAT_C));
    bool n_first = work->shape == SCT_MAT_A ||
                   (work->shape == SCT_MAT_C &&
                    plan->product.size[SCT_DIM_N] / sct_work_parts(work, SCT_DIM_N) >
                        plan->product.size[SCT_DIM_M] / sct_work_parts(work, SCT_DIM_M));
    int outer = n_first && !in_place ? SCT_DIM_N : SCT_DIM_M;
    plan->nest[in_place] = outer;
    plan->nest[1 + in_place] = SCT_DIM_M + SCT_DIM_N - outer;
    plan->nest[in_place ? 0 : 2] = SCT_DIM_K;
}

sct_status sct_plan_slice(sct_plan *plan, const int64_t most[SCT_DIMS]) {
    const sct_layout *work = plan->work.layout;
    int cells = sct_layout_cells(work, plan->rank), free_dim = sct_free_dim(plan->work.shape);
    plan->box = calloc((size_t)cells + 1, sizeof *plan->box);
    plan->list = calloc(2 * (size_t)cells + 1, sizeof *plan->list);
    if (!plan->box || !plan->list)
        return sct_fail(SCT_NO_MEMORY, "no memory for a plan of %d cells", cells);
    plan->exclusive = sct_work_one_writer(&plan->product, &plan->work);
    choose_nest(plan);
    plan->list[0] = (sct_piece_list){.dim = free_dim, .coord = -1};
    plan->lists = 1;
    sct_status status = SCT_OK;
    for (int block = 0; block < cells && !status; block++)
        status = add_box(plan, sct_layout_cell(work, plan->rank, block), most);
    if (!status)
        status = slice_moving(plan, free_dim, NULL, most[free_dim], &plan->list[0].pieces);
    if (status)
        return status;
    number_pieces(plan);
    status = number_steps(plan);
    return status || plan->options.fetch == SCT_FETCH_SLICE ? status : sct_plan_find_tiles(plan);
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
    sct_group_list_clear(&plan->groups);
}
