/* slice.c - the generator: which steps a rank has. The paper's Algorithms 1 and 2 for all three
 * stationary matrices, on sets of indices instead of tiles. */
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

/* What it costs to bring a moving matrix's slices, which are pieces of a dimension, together, for
 * each element: a copy; an add, which reads and writes, if C would else be written in
 * place, nothing if it is added to anyway. What comes from beyond reach is not brought together, so
 * that each owner's slice comes while another is used. What leaves may be, but leaves later. */
static double merging(const sct_plan *plan, int matrix, int dim, const sct_pieces *pieces) {
    const sct_product *product = &plan->product;
    if (sct_product_all_near(product, matrix))
        return matrix != SCT_MAT_C ? 1 : plan->exclusive ? 2 : 0;
    if (matrix != SCT_MAT_C)
        return INFINITY;
    return sct_leave_cost(product, plan->options.machine, dim, (double)pieces->count,
                          (double)pieces->total);
}

/* How many indices of one of its own dimensions a cell of the stationary matrix has. */
static int64_t extent(const sct_plan *plan, int dim, sct_cell cell) {
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    int side = sct_matrix_side(plan->stay, dim);
    int coord = sct_product_coord(&plan->product, plan->stay, dim, cell);
    return sct_axis_below(d.axis[side], coord, d.range.hi + d.offset[side]) -
           sct_axis_below(d.axis[side], coord, d.range.lo + d.offset[side]);
}

/* The pieces of one of the stationary matrix's own dimensions. The moving matrix's owners do not
 * part them, and one panel is brought together from all, where it would have to be gathered anyway,
 * or the stationary matrix scattered, or pieces would be too thin for the BLAS; or where the
 * third matrix, whose slice is read again for each piece of m or n, would cost more than the panel.
 */
static sct_status slice_own(const sct_plan *plan, int dim, sct_cell cell, int64_t most,
                            sct_pieces *pieces) {
    int side = sct_matrix_side(plan->stay, dim);
    int across = sct_matrix_dim(plan->stay, sct_matrix_dim(plan->stay, 0) == dim);
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    d.only[side] = sct_product_coord(&plan->product, plan->stay, dim, cell);
    d.merge[!side] = plan->options.slicing == SCT_SLICE_CLASS && sct_pieces_begin_scattered(&d);
    if (d.merge[!side])
        return slice(plan, &d, most, pieces);
    sct_status status = slice(plan, &d, 0, pieces);
    if (status)
        return status;
    bool thin = sct_pieces_thin(pieces->count, pieces->total);
    int mover = sct_dim_matrix(dim, !side);
    double again = (double)(pieces->count - 1) * (double)extent(plan, across, cell);
    double panel = (double)pieces->total * merging(plan, mover, dim, pieces);
    bool dear = dim != SCT_DIM_K && again >= panel;
    d.merge[!side] = thin || dear || pieces->scattered[0] || pieces->scattered[1];
    bool merges = d.merge[!side] && pieces->count > 1 && d.cutting != SCT_CUT_TILES;
    if (merges && dear && !sct_product_all_near(&plan->product, mover))
        most = most > 0 ? sct_min(most, SCT_LEAVE_LARGE) : SCT_LEAVE_LARGE;
    return merges || most ? slice_again(plan, &d, most, pieces) : SCT_OK;
}

/* Whether a moving matrix is gathered whatever the pieces of the free dimension are. */
static bool gathered(const sct_plan *plan, int matrix) {
    for (int i = 1; i < plan->lists; i++) {
        const sct_list *list = &plan->list[i];
        if (sct_matrix_has(matrix, list->dim) &&
            list->pieces.scattered[sct_matrix_side(matrix, list->dim)])
            return true;
    }
    return false;
}

double sct_plan_breadth(const sct_plan *plan, int dim) {
    double sum = 0;
    for (int i = 0; i < plan->lists; i++)
        if (plan->list[i].dim == dim)
            sum += (double)plan->list[i].pieces.total;
    return sum;
}

/* Whether the slice of the stationary matrix, which is read again for each piece of the free
 * dimension, would cost more than bringing the moving matrices together. */
static bool worth_merging(const sct_plan *plan, int dim, const sct_pieces *pieces) {
    double own = 0, panels = 0;
    for (int i = 0; i < plan->boxes; i++) {
        const int *list = plan->box[i].list;
        own += (double)plan->list[list[sct_matrix_dim(plan->stay, 0)]].pieces.total *
               (double)plan->list[list[sct_matrix_dim(plan->stay, 1)]].pieces.total;
    }
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        int shared = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == dim);
        if (pieces->parted[side])
            panels += merging(plan, matrix, dim, pieces) * sct_plan_breadth(plan, shared) *
                      (double)pieces->total;
    }
    return dim != SCT_DIM_K && (double)(pieces->count - 1) * own >= panels;
}

/* Whether several owners on a side have indices of a dimension. */
static bool is_parted(const sct_dimension *d, int side) {
    const sct_axis *axis = d->axis[side];
    int64_t lo = d->range.lo + d->offset[side], hi = d->range.hi + d->offset[side];
    if (lo >= hi)
        return false;
    int first = sct_axis_owner(axis, sct_axis_block(axis, lo));
    return sct_axis_below(axis, first, hi) - sct_axis_below(axis, first, lo) < hi - lo;
}

/* Whether it has to be found out if it is worth merging both sides: not if nothing could be. */
static bool may_be_worth_merging(const sct_plan *plan, int dim, const sct_dimension *d) {
    bool never = dim == SCT_DIM_K;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(dim, side);
        bool comes = matrix != SCT_MAT_C && !sct_product_all_near(&plan->product, matrix);
        never = never || (comes && is_parted(d, side));
    }
    return !never;
}

/* Says which sides of the free dimension do not part its pieces: of a matrix that is gathered
 * anyway, or if it is worth it both. */
static sct_status choose_merges(const sct_plan *plan, int dim, sct_dimension *d) {
    bool both = false;
    sct_pieces pieces;
    if (may_be_worth_merging(plan, dim, d)) {
        sct_status status = slice(plan, d, 0, &pieces);
        if (status)
            return status;
        both = worth_merging(plan, dim, &pieces);
        sct_pieces_clear(&pieces);
    }
    for (int side = 0; side < 2; side++)
        d->merge[side] = both || gathered(plan, sct_dim_matrix(dim, side));
    return SCT_OK;
}

/* The pieces of the free dimension: the owners of a matrix that is gathered anyway, be it because
 * of these pieces, do not part them. */
static sct_status slice_free(sct_plan *plan, int64_t most) {
    int dim = sct_free_dim(plan->stay);
    const sct_layout *stay = plan->product.layout[plan->stay];
    sct_pieces *pieces = &plan->list[0].pieces;
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    d.range = sct_product_share(&plan->product, plan->stay, sct_layout_home(stay, plan->rank));
    bool tiles = plan->options.slicing == SCT_SLICE_TILE;
    sct_status status = tiles ? SCT_OK : choose_merges(plan, dim, &d);
    if (status)
        return status;
    if (tiles || (d.merge[0] && d.merge[1]))
        return slice(plan, &d, most, pieces);
    status = slice(plan, &d, 0, pieces);
    bool more = pieces->scattered[0] > d.merge[0] || pieces->scattered[1] > d.merge[1];
    for (int side = 0; side < 2; side++)
        d.merge[side] |= pieces->scattered[side];
    return !status && (more || most) ? slice_again(plan, &d, most, pieces) : status;
}

/* The list for a coordinate, made when first asked for. */
static sct_status find_list(sct_plan *plan, int dim, sct_cell cell, int64_t most, int *index) {
    int coord = sct_product_coord(&plan->product, plan->stay, dim, cell);
    for (*index = plan->lists - 1; *index > 0; --*index)
        if (plan->list[*index].dim == dim && plan->list[*index].coord == coord)
            return SCT_OK;
    *index = plan->lists;
    sct_list *list = &plan->list[plan->lists];
    *list = (sct_list){.dim = dim, .coord = coord};
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

/* Numbers the pieces of all lists. */
static void number_pieces(sct_plan *plan) {
    int64_t number = 0;
    for (int i = 0; i < plan->lists; i++) {
        sct_list *list = &plan->list[i];
        list->first = number;
        number += list->pieces.count;
        plan->largest[list->dim] = sct_max(plan->largest[list->dim], list->pieces.largest);
        plan->stretches += list->pieces.stretches;
    }
}

/* Numbers the steps of each box, and the loops that make them; boxes without steps fall out. */
static sct_status number_steps(sct_plan *plan) {
    int first = sct_matrix_dim(plan->stay, 0), second = sct_matrix_dim(plan->stay, 1), kept = 0;
    for (int i = 0; i < plan->boxes; i++) {
        sct_box box = plan->box[i];
        sct_list *own[2] = {&plan->list[box.list[first]], &plan->list[box.list[second]]};
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
            box.tour[dim] = sct_plan_tour(plan, &box, dim);
        box.steps = steps;
        if (steps)
            plan->box[kept++] = box;
    }
    plan->boxes = kept;
    for (int i = 0; i < kept; i++)
        plan->box[i].lead = sct_plan_lead(plan, &plan->box[i]);
    return SCT_OK;
}

/* The stationary matrix's dimensions, as loops: the free one outermost, so that what moves is used
 * up before the next of it is needed; k innermost where products can then be summed before they are
 * accumulated. */
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
    plan->list[0] = (sct_list){.dim = sct_free_dim(plan->stay), .coord = -1};
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
    sct_agenda_clear(&plan->agenda);
}
