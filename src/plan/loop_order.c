/* loop_order.c - direct order: the order in which a loop visits its pieces, as the decisions of the
 * plan say. The other orders are in src/order/.
 *
 * Where the slices of owners are cut into panels, the owners alternate. */
#include "plan/plan.h"

#include "base/checked.h"

enum { NONE = -1 };

static bool is_far(const sct_plan *plan, int matrix) {
    return !sct_product_all_near(&plan->product, matrix);
}

static bool has_owner(const sct_spans *spans, int coord) {
    for (int64_t i = 0; i < sct_spans_listed(spans); i++)
        if (sct_spans_item(spans, i).coord == coord)
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

/* The first piece whose matrices are local, of those that the list splits by owner: of C, or to
 * begin with it, of all. NONE if they are local in different pieces. */
static int64_t own_piece(const sct_plan *plan, const sct_piece_list *list, sct_begin begin) {
    int64_t own = NONE;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        if (!list->pieces.split[side] || (begin != SCT_BEGIN_OWN && matrix != SCT_MAT_C))
            continue;
        int64_t local = local_piece(plan, list, matrix);
        if (local == NONE || (own != NONE && local != own))
            return NONE;
        own = local;
    }
    return own;
}

/* True if pieces are remote and have several owners, even if gathered into one panel. */
static bool has_remote_owners(const sct_plan *plan, const sct_piece_list *list) {
    const sct_pieces *pieces = &list->pieces;
    bool far = false;
    for (int side = 0; side < 2; side++) {
        bool gathered =
            pieces->dimension.ignore_owners[side] && pieces->dimension.axis[side]->coords > 1;
        far |= (gathered || pieces->split[side]) && is_far(plan, sct_dim_matrix(list->dim, side));
    }
    return far;
}

/* True if remote pieces are gathered over all owners, so that they cannot be arranged by owner. */
static bool is_gathered_once(const sct_plan *plan, const sct_piece_list *list) {
    return list->pieces.sets == 1 && has_remote_owners(plan, list);
}

/* The shifted start: row plus column of the rank's cell. Replicas of a cell that read the same
 * remote pieces start apart. Gathered pieces have no owner: starts are spread evenly. */
static int64_t shifted_start(const sct_plan *plan, const sct_box *box, const sct_piece_list *list) {
    const sct_layout *work = plan->work.layout;
    int64_t shift = (int64_t)box->cell.row + box->cell.col, replicas = work->replicas;
    int64_t most = (int64_t)work->rows.coords + work->cols.coords - 1;
    int64_t home =
        list->coord >= 0 && has_remote_owners(plan, list) ? sct_layout_home(work, plan->rank) : 0;
    if (is_gathered_once(plan, list))
        return (shift * replicas + home) * list->pieces.count / (most * replicas);
    int64_t spread = sct_max(1, list->pieces.sets / most);
    return shift * spread + home * sct_max(1, list->pieces.sets / replicas);
}

sct_loop_order sct_plan_loop_order(const sct_plan *plan, const sct_box *box, int dim) {
    const sct_piece_list *list = &plan->list[box->list[dim]];
    const sct_pieces *pieces = &list->pieces;
    sct_begin begin = plan->decisions.begin[dim];
    if (begin == SCT_BEGIN_FIRST || pieces->count == 0)
        return (sct_loop_order){0, 1};
    int64_t row = is_gathered_once(plan, list) ? 1 : (pieces->count - 1) / pieces->sets + 1;
    int64_t own = begin == SCT_BEGIN_SHIFTED ? NONE : own_piece(plan, list, begin);
    if (begin == SCT_BEGIN_HALFWAY && own != NONE)
        return (sct_loop_order){(own + row / 2) % pieces->count, 1};
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
