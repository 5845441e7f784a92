/* slice.c - the generator: which steps a rank has. The paper's Algorithms 1 and 2 for all three
 * stationary matrices, on sets of indices instead of tiles. */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

static sct_status slice_dimension(const sct_plan *plan, int dim, int coord, int64_t most,
                                  sct_pieces *pieces) {
    sct_dimension d = sct_product_dimension(&plan->product, dim);
    if (coord >= 0)
        d.only[sct_matrix_side(plan->stay, dim)] = coord;
    else
        d.range = sct_product_share(&plan->product, plan->stay,
                                    sct_layout_home(plan->product.layout[plan->stay], plan->rank));
    d.cutting = plan->options.slicing == SCT_SLICE_TILE ? SCT_CUT_TILES : SCT_CUT_CLASSES;
    d.most = most;
    return sct_pieces_create(&d, pieces);
}

/* The list for a coordinate, made when first asked for. */
static sct_status find_list(sct_plan *plan, int dim, int coord, int64_t most, int *index) {
    for (*index = plan->lists - 1; *index >= 0; --*index)
        if (plan->list[*index].dim == dim && plan->list[*index].coord == coord)
            return SCT_OK;
    *index = plan->lists;
    sct_list *list = &plan->list[plan->lists];
    *list = (sct_list){.dim = dim, .coord = coord};
    sct_status status = slice_dimension(plan, dim, coord, most, &list->pieces);
    if (!status)
        plan->lists++;
    return status;
}

static sct_status add_box(sct_plan *plan, sct_cell cell, const int64_t most[SCT_DIMS]) {
    sct_box *box = &plan->box[plan->boxes];
    *box = (sct_box){.first = plan->steps, .offset = (int64_t)cell.row + cell.col};
    int64_t counts[2];
    for (int which = 0; which < 2; which++) {
        int dim = sct_matrix_dim(plan->stay, which);
        int coord = sct_product_coord(&plan->product, plan->stay, dim, cell);
        sct_status status = find_list(plan, dim, coord, most[dim], &box->list[dim]);
        if (status)
            return status;
        counts[which] = plan->list[box->list[dim]].pieces.count;
    }
    box->list[sct_free_dim(plan->stay)] = 0;
    int64_t steps;
    if (!sct_multiply_fits(counts[0], counts[1], &steps) ||
        !sct_multiply_fits(steps, plan->list[0].pieces.count, &steps) ||
        !sct_add_fits(plan->steps, steps, &plan->steps))
        return sct_fail(SCT_TOO_LARGE, "the plan of rank %d has more than 2^63 steps", plan->rank);
    if (steps == 0)
        return SCT_OK;
    for (int which = 0; which < 2; which++)
        plan->list[box->list[sct_matrix_dim(plan->stay, which)]].partners += counts[!which];
    plan->boxes++;
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

/* Whether the layouts alone show that each element of C has one writer: C stays, or one coordinate
 * of the stationary matrix has all of k. */
static bool one_writer(const sct_plan *plan) {
    sct_dimension d = sct_product_dimension(&plan->product, SCT_DIM_K);
    if (plan->stay == SCT_MAT_C || d.range.lo >= d.range.hi)
        return true;
    int side = sct_matrix_side(plan->stay, SCT_DIM_K);
    const sct_axis *axis = d.axis[side];
    int64_t lo = d.range.lo + d.offset[side], hi = d.range.hi + d.offset[side];
    int coord = sct_axis_owner(axis, sct_axis_block(axis, lo));
    return sct_axis_below(axis, coord, hi) - sct_axis_below(axis, coord, lo) == hi - lo;
}

sct_status sct_plan_slice(sct_plan *plan, const int64_t most[SCT_DIMS]) {
    const sct_layout *stay = plan->product.layout[plan->stay];
    int cells = sct_layout_cells(stay, plan->rank), index;
    plan->box = calloc((size_t)cells + 1, sizeof *plan->box);
    plan->list = calloc(2 * (size_t)cells + 1, sizeof *plan->list);
    if (!plan->box || !plan->list)
        return sct_fail(SCT_NO_MEMORY, "no memory for a plan of %d cells", cells);
    choose_nest(plan);
    plan->exclusive = one_writer(plan);
    int free_dim = sct_free_dim(plan->stay);
    sct_status status = find_list(plan, free_dim, -1, most[free_dim], &index);
    for (int block = 0; block < cells && !status; block++)
        status = add_box(plan, sct_layout_cell(stay, plan->rank, block), most);
    return status;
}

void sct_plan_unslice(sct_plan *plan) {
    for (int i = 0; i < plan->lists; i++)
        sct_pieces_clear(&plan->list[i].pieces);
    free(plan->list);
    free(plan->box);
    plan->list = NULL;
    plan->box = NULL;
    plan->lists = plan->boxes = 0;
    plan->steps = 0;
}
