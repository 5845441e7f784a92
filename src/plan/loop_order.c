/* loop_order.c - direct order: the order in which a loop visits its pieces, so that neither a rank
 * nor its network is idle. The other orders are in src/order/.
 *
 * Ranks start shifted, so that they do not all read from, or contribute to, one owner at once.
 * Loops over input start with the local slice; loops over contributions end with it: transfers then
 * overlap with local work. Where a loop has both, half of the local slice comes first and half
 * last. If the first step is blocked on a fetch and another is not, that one may be hoisted to the
 * front. Where the slices of owners are cut into panels, the owners alternate. */
#include "plan/operand.h"

#include "base/checked.h"

enum { NONE = -1 };

static bool is_far(const sct_plan *plan, int matrix) {
    return !sct_product_all_near(&plan->product, matrix);
}

/* True if a remote matrix with several owners is gathered into one panel along this list. */
static bool is_gathered(const sct_plan *plan, const sct_piece_list *list, int matrix) {
    int side = sct_matrix_side(matrix, list->dim);
    const sct_dimension *d = &list->pieces.dimension;
    return is_far(plan, matrix) && d->ignore_owners[side] && d->axis[side]->coords > 1;
}

/* True if a matrix is split by owner along this list. */
static bool is_split(const sct_piece_list *list, int matrix) {
    return list->pieces.split[sct_matrix_side(matrix, list->dim)];
}

/* True if the loop splits C by owner, so that contributions go to different ranks. splits_input:
 * the same for the other matrix with that dimension. */
static bool splits_c(const sct_piece_list *list) {
    return sct_matrix_has(SCT_MAT_C, list->dim) && is_split(list, SCT_MAT_C);
}

static bool splits_input(const sct_piece_list *list) {
    return is_split(list, list->dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B);
}

/* True if a box contributes more than 1 / `times` of the bytes that it reads per index of a loop.
 */
static bool contributes_more(const sct_plan *plan, const sct_box *box, int dim, int64_t times) {
    int across = dim == SCT_DIM_M ? SCT_DIM_N : SCT_DIM_M;
    int64_t added = plan->list[box->list[across]].pieces.total;
    return plan->list[box->list[SCT_DIM_K]].pieces.total < times * added;
}

/* True if the loop ends with the local slice of C, rather than starts with local input.
 * Contributions leave late and in large slices, while input can come early; so C decides unless it
 * is far smaller, or gathered. */
static bool ends_with_local(const sct_plan *plan, const sct_box *box, const sct_piece_list *list) {
    enum { FAR_LESS = 8 };
    return splits_c(list) &&
           (!splits_input(list) || (!is_gathered(plan, list, SCT_MAT_C) &&
                                    contributes_more(plan, box, list->dim, FAR_LESS)));
}

/* True if a remote matrix is split by owner along this dimension only. Each rank of a replica then
 * has pieces of its own here. */
static bool is_split_here_only(const sct_plan *plan, const sct_piece_list *list, int matrix) {
    int across = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == list->dim);
    sct_dimension other = sct_product_dimension(&plan->product, across);
    return is_far(plan, matrix) && other.axis[sct_matrix_side(matrix, across)]->coords == 1;
}

/* True if the loop must end with the local slice of C whatever the grids are: contributions
 * outweigh input. Ranks with different local slices then contribute to different owners at any
 * time. Tiles keep the paper's order. */
static bool follows_contributions(const sct_plan *plan, const sct_box *box,
                                  const sct_piece_list *list) {
    return plan->options.slicing == SCT_SLICE_CLASS && splits_c(list) && is_far(plan, SCT_MAT_C) &&
           (!splits_input(list) || contributes_more(plan, box, list->dim, 1));
}

static bool has_owner(const sct_spans *spans, int coord) {
    for (int64_t i = 0; i < spans->count; i++)
        if (sct_spans_list(spans)[i].coord == coord)
            return true;
    return false;
}

/* The first piece with a local part of a matrix, or NONE. */
static int64_t local_piece(const sct_plan *plan, const sct_piece_list *list, int matrix) {
    const sct_layout *layout = plan->product.layout[matrix];
    if (sct_layout_cells(layout, plan->rank) == 0)
        return NONE;
    sct_cell cell = sct_layout_cell(layout, plan->rank, 0);
    int coord = sct_product_coord(&plan->product, matrix, list->dim, cell);
    int side = sct_matrix_side(matrix, list->dim);
    sct_reader reader = {.pieces = NULL};
    for (int64_t i = 0; i < list->pieces.count; i++) {
        sct_piece piece;
        sct_pieces_read(&list->pieces, i, &reader, &piece);
        if (has_owner(&piece.side[side], coord))
            return i;
    }
    return NONE;
}

/* True if pieces are remote and have several owners, even if gathered into one panel. */
static bool has_remote_owners(const sct_plan *plan, const sct_piece_list *list) {
    bool far = false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        far |= is_gathered(plan, list, matrix) || (is_split(list, matrix) && is_far(plan, matrix));
    }
    return far;
}

/* True if remote pieces are gathered over all owners, so that they cannot be arranged by owner. */
static bool is_gathered_once(const sct_plan *plan, const sct_piece_list *list) {
    return list->pieces.sets == 1 && has_remote_owners(plan, list);
}

/* The default start: row plus column of the rank's cell. Replicas of a cell that read the same
 * remote pieces start apart. Gathered pieces have no owner: starts are spread evenly. */
static int64_t shifted_start(const sct_plan *plan, const sct_box *box, const sct_piece_list *list) {
    const sct_layout *work = plan->work.layout;
    int64_t shift = (int64_t)box->cell.row + box->cell.col, replicas = work->replicas;
    int64_t most = (int64_t)work->rows.coords + work->cols.coords - 1;
    int64_t home =
        list->coord >= 0 && has_remote_owners(plan, list) ? sct_layout_home(work, plan->rank) : 0;
    if (is_gathered_once(plan, list))
        return (shift * replicas + home) * list->pieces.count / (most * replicas);
    return shift + home * sct_max(1, list->pieces.sets / replicas);
}

/* The row of pieces at which a loop starts, or after which it starts if that row is to come last:
 * that of the local slice if contributions decide, or if ranks then start at as many owners as
 * there are. Otherwise the shifted start. */
static int64_t start_row(const sct_plan *plan, const sct_box *box, const sct_piece_list *list,
                         int64_t row) {
    int64_t begin =
        follows_contributions(plan, box, list) ? local_piece(plan, list, SCT_MAT_C) : NONE;
    if (begin != NONE)
        return begin / row;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        if (!is_split(list, matrix))
            continue;
        int64_t local =
            is_split_here_only(plan, list, matrix) ? local_piece(plan, list, matrix) : NONE;
        if (local == NONE || (begin != NONE && local != begin))
            return shifted_start(plan, box, list);
        begin = local;
    }
    return begin == NONE ? shifted_start(plan, box, list) : begin / row;
}

bool sct_plan_exchanges_free_dim(const sct_plan *plan) {
    const sct_piece_list *list = &plan->list[0];
    int across = list->dim == SCT_DIM_M ? SCT_DIM_N : SCT_DIM_M;
    if (plan->work.shape == SCT_MAT_C || across != sct_product_line_dim(&plan->product))
        return false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        if (!is_split(list, matrix) || !is_split_here_only(plan, list, matrix))
            return false;
    }
    return sct_plan_extent(plan, SCT_DIM_K) > sct_plan_extent(plan, across);
}

sct_loop_order sct_plan_loop_order(const sct_plan *plan, const sct_box *box, int dim) {
    const sct_piece_list *list = &plan->list[box->list[dim]];
    const sct_pieces *pieces = &list->pieces;
    if (plan->options.start == SCT_START_ALIKE || pieces->count == 0)
        return (sct_loop_order){0, 1};
    int64_t row = is_gathered_once(plan, list) ? 1 : (pieces->count - 1) / pieces->sets + 1;
    int64_t local = NONE;
    if (list->coord < 0 && row > 1 && sct_plan_exchanges_free_dim(plan))
        local = local_piece(plan, list, SCT_MAT_C);
    if (local != NONE)
        return (sct_loop_order){(local + row / 2) % pieces->count, 1};
    int64_t first = start_row(plan, box, list, row) + ends_with_local(plan, box, list);
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

/* True if the step is blocked on a remote operand. */
static bool needs_fetch(const sct_plan *plan, const sct_task *task) {
    bool any = false;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        any |= !task->operand[matrix].in_place && is_far(plan, matrix);
    return any;
}

static bool is_local(const sct_plan *plan, const sct_operand *operand) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    bool local = true;
    while (local && sct_fragments_next(&fragments, &fragment))
        local = fragment.place.rank == plan->rank;
    return local;
}

/* True if the step adds to a local slice of C through workspace and needs no fetch. */
static bool is_local_contribution(const sct_plan *plan, int64_t step) {
    sct_task task;
    sct_plan_task(plan, step, &task);
    const sct_operand *c = &task.operand[SCT_MAT_C];
    return !needs_fetch(plan, &task) && !c->in_place && is_local(plan, c);
}

/* With k innermost: hoists a panel of the last sum if that sum is local and the panel needs
 * no fetch. Requires the default prefetch, or sums of one panel, where another local sum remains
 * for the end. */
static int64_t hoist_partial_sum(const sct_plan *plan, const sct_box *box, int64_t panels) {
    int64_t end = box->first + box->steps;
    bool may = (plan->prefetch_steps > 0 || panels == 1) &&
               is_local_contribution(plan, end - sct_max(panels, 2)) &&
               is_local_contribution(plan, end - 1);
    return may ? box->steps - 1 : 0;
}

/* With k outermost: hoists the first panel of k that needs no fetch. */
static int64_t hoist_ready_panel(const sct_plan *plan, const sct_box *box) {
    enum { LOOK_AHEAD = 64 };
    int64_t end = sct_min(box->steps, LOOK_AHEAD);
    for (int64_t at = 1; at < end; at++) {
        sct_task task;
        sct_plan_task(plan, box->first + at, &task);
        if (!needs_fetch(plan, &task) && task.operand[SCT_MAT_C].in_place)
            return at;
    }
    return 0;
}

int64_t sct_plan_hoist(const sct_plan *plan, const sct_box *box) {
    int64_t panels = plan->list[box->list[SCT_DIM_K]].pieces.count;
    if (plan->options.slicing == SCT_SLICE_TILE || plan->options.start == SCT_START_ALIKE ||
        box->steps < 2)
        return 0;
    sct_task first;
    sct_plan_task(plan, box->first, &first);
    if (!needs_fetch(plan, &first))
        return 0;
    if (plan->nest[SCT_DIMS - 1] == SCT_DIM_K)
        return hoist_partial_sum(plan, box, panels);
    return box->steps == panels ? hoist_ready_panel(plan, box) : 0;
}
