/* slice.c - the generator: cuts the dimensions of a rank's work into pieces, and makes its boxes of
 * steps, as the decisions of the plan say.
 *
 * These are the paper's Algorithms 1 and 2 for any work layout, on sets of indices instead of
 * tiles.
 */
#include "plan/plan.h"

#include "base/checked.h"
#include "base/status.h"

#include <stdlib.h>

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
            box.order[dim] = sct_plan_loop_order(plan, &box, dim);
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
    free(plan->groups.group);
    free(plan->groups.ordered);
    free(plan->groups.prefetch);
    plan->groups = (sct_group_list){.count = 0};
}
