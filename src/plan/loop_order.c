/* loop_order.c - direct order: the order in which a loop visits its pieces, as the decisions of the
 * plan say. The other orders are in src/order/.
 *
 * Where the slices of owners are cut into panels, the owners alternate. */
#include "plan/plan.h"

#include "base/checked.h"

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

sct_loop_order sct_plan_loop_order(const sct_plan *plan, const sct_box *box, int dim) {
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
