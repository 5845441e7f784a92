/* slice.c - the generator: cuts the dimensions and makes the steps of a rank.
 *
 * These are the paper's Algorithms 1 and 2 for all three stationary matrices, on sets of indices
 * instead of tiles. */
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

/* The extent of a cell of the stationary matrix in one of its dimensions. */
static int64_t cell_extent(const sct_plan *plan, int dim, sct_cell cell) {
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    int side = sct_matrix_side(plan->stay, dim);
    int coord = sct_product_coord(&plan->product, plan->stay, dim, cell);
    return sct_axis_below(d.axis[side], coord, d.range.hi + d.offset[side]) -
           sct_axis_below(d.axis[side], coord, d.range.lo + d.offset[side]);
}

/* Cuts one dimension of the stationary matrix. Owners of the moving matrix are ignored, and one
 * panel is gathered from all of them, if the panel must be gathered anyway, if the stationary
 * matrix would be scattered, if pieces would be too thin for the BLAS, or if rereading the third
 * matrix for each piece of m or n costs more than the panel. */
static sct_status slice_own(const sct_plan *plan, int dim, sct_cell cell, int64_t most,
                            sct_pieces *pieces) {
    int side = sct_matrix_side(plan->stay, dim);
    int across = sct_matrix_dim(plan->stay, sct_matrix_dim(plan->stay, 0) == dim);
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    d.only[side] = sct_product_coord(&plan->product, plan->stay, dim, cell);
    d.ignore_owners[!side] =
        plan->options.slicing == SCT_SLICE_CLASS && sct_pieces_begin_scattered(&d);
    if (d.ignore_owners[!side])
        return slice(plan, &d, most, pieces);
    sct_status status = slice(plan, &d, 0, pieces);
    if (status)
        return status;
    bool thin = sct_pieces_thin(pieces->count, pieces->total);
    int moving = sct_dim_matrix(dim, !side);
    double reread = (double)(pieces->count - 1) * (double)cell_extent(plan, across, cell);
    double panel = (double)pieces->total * gather_cost(plan, moving, dim, pieces);
    bool cheaper = dim != SCT_DIM_K && reread >= panel;
    d.ignore_owners[!side] = thin || cheaper || pieces->scattered[0] || pieces->scattered[1];
    bool merges = d.ignore_owners[!side] && pieces->count > 1 && d.cutting != SCT_CUT_TILES;
    if (merges && cheaper && !sct_product_all_near(&plan->product, moving))
        most = most > 0 ? sct_min(most, SCT_CONTRIBUTION_LARGE) : SCT_CONTRIBUTION_LARGE;
    return merges || most ? slice_again(plan, &d, most, pieces) : SCT_OK;
}

/* True if a moving matrix is gathered however the free dimension is cut. */
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

/* True if rereading the stationary slice for each piece of the free dimension costs more than
 * gathering the moving matrices. */
static bool is_gathering_cheaper(const sct_plan *plan, int dim, const sct_pieces *pieces) {
    double own = 0, panels = 0;
    for (int i = 0; i < plan->boxes; i++) {
        const int *list = plan->box[i].list;
        own += (double)plan->list[list[sct_matrix_dim(plan->stay, 0)]].pieces.total *
               (double)plan->list[list[sct_matrix_dim(plan->stay, 1)]].pieces.total;
    }
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        int shared = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
        if (pieces->split[side])
            panels += gather_cost(plan, matrix, dim, pieces) * sct_plan_extent(plan, shared) *
                      (double)pieces->total;
    }
    return dim != SCT_DIM_K && (double)(pieces->count - 1) * own >= panels;
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

/* True unless the free dimension can never be gathered on both sides. */
static bool can_gather_both(const sct_plan *plan, int dim, const sct_dimension *d) {
    bool never = dim == SCT_DIM_K;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        bool comes = matrix != SCT_MAT_C && !sct_product_all_near(&plan->product, matrix);
        never = never || (comes && has_several_owners(d, side));
    }
    return !never;
}

/* Decides which sides of the free dimension ignore owners: those of matrices that are gathered
 * anyway, or both if that is cheaper. */
static sct_status choose_gathered_sides(const sct_plan *plan, int dim, sct_dimension *d) {
    bool both = false;
    sct_pieces pieces;
    if (can_gather_both(plan, dim, d)) {
        sct_status status = slice(plan, d, 0, &pieces);
        if (status)
            return status;
        both = is_gathering_cheaper(plan, dim, &pieces);
        sct_pieces_clear(&pieces);
    }
    for (int side = 0; side < 2; side++)
        d->ignore_owners[side] = both || is_gathered_anyway(plan, sct_dim_matrix(dim, side));
    return SCT_OK;
}

/* Cuts the free dimension. Owners of a matrix that is gathered anyway, even because of this cut,
 * are ignored. */
static sct_status slice_free(sct_plan *plan, int64_t most) {
    int dim = sct_free_dim(plan->stay);
    const sct_layout *stay = plan->product.layout[plan->stay];
    sct_pieces *pieces = &plan->list[0].pieces;
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    d.range = sct_product_share(&plan->product, plan->stay, sct_layout_home(stay, plan->rank));
    bool tiles = plan->options.slicing == SCT_SLICE_TILE;
    sct_status status = tiles ? SCT_OK : choose_gathered_sides(plan, dim, &d);
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
    int coord = sct_product_coord(&plan->product, plan->stay, dim, cell);
    for (*index = plan->lists - 1; *index > 0; --*index)
        if (plan->list[*index].dim == dim && plan->list[*index].coord == coord)
            return SCT_OK;
    *index = plan->lists;
    sct_piece_list *list = &plan->list[plan->lists];
    *list = (sct_piece_list){.dim = dim, .coord = coord};
    sct_status status = slice_own(plan, dim, cell, most, &list->pieces);
    if (!status)
        plan->lists++;
    return status;
}

static sct_status add_box(sct_plan *plan, sct_cell cell, const int64_t most[SCT_DIMS]) {
    sct_box *box = &plan->box[plan->boxes++];
    *box = (sct_box){.cell = cell};
    sct_status status = SCT_OK;
    for (int which = 0; which < 2 && !status; which++) {
        int dim = sct_matrix_dim(plan->stay, which);
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
    int first = sct_matrix_dim(plan->stay, 0), second = sct_matrix_dim(plan->stay, 1), kept = 0;
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

/* The nesting of the loops: the free dimension outermost, so that a moving slice is used up before
 * the next is needed; k innermost where sums are accumulated once complete. */
static void choose_nest(sct_plan *plan) {
    int free_dim = sct_free_dim(plan->stay);
    int first = sct_matrix_dim(plan->stay, 0), second = sct_matrix_dim(plan->stay, 1);
    bool k_first = first == SCT_DIM_K;
    plan->nest[0] = free_dim;
    plan->nest[1] = k_first ? second : first;
    plan->nest[2] = k_first ? first : second;
}

sct_status sct_plan_slice(sct_plan *plan, const int64_t most[SCT_DIMS]) {
    const sct_layout *stay = plan->product.layout[plan->stay];
    int cells = sct_layout_cells(stay, plan->rank);
    plan->box = calloc((size_t)cells + 1, sizeof *plan->box);
    plan->list = calloc(2 * (size_t)cells + 1, sizeof *plan->list);
    if (!plan->box || !plan->list)
        return sct_fail(SCT_NO_MEMORY, "no memory for a plan of %d cells", cells);
    choose_nest(plan);
    plan->exclusive = sct_product_one_writer(&plan->product, plan->stay);
    plan->list[0] = (sct_piece_list){.dim = sct_free_dim(plan->stay), .coord = -1};
    plan->lists = 1;
    sct_status status = SCT_OK;
    for (int block = 0; block < cells && !status; block++)
        status = add_box(plan, sct_layout_cell(stay, plan->rank, block), most);
    if (!status)
        status = slice_free(plan, most[sct_free_dim(plan->stay)]);
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
