/* loop_order.c - in which order a loop goes through its pieces, so that neither a rank nor its
 * network has to wait.
 *
 * Ranks begin shifted against each other, so that not all read from, or add to, one at once. What
 * is read begins with the rank's own, what is added to ends with it: all that has to travel then
 * does while something is multiplied. Where more comes than leaves for the same steps, a half of
 * the rank's own is first, a half last; a step of what comes last, or of a C that stays, leads, if
 * it lacks nothing and the first does. Where owners' pieces are cut to be small, the owners take
 * turns: what is here is then multiplied between what travels. */
#include "plan/operand.h"

#include "base/checked.h"

enum { NONE = -1 };

static bool is_far(const sct_plan *plan, int matrix) {
    return !sct_product_all_near(&plan->product, matrix);
}

/* Whether a matrix has to travel whose owners are several, but do not part these pieces. */
static bool merged(const sct_plan *plan, const sct_list *list, int matrix) {
    int side = sct_matrix_side(matrix, list->dim);
    const sct_dimension *d = &list->pieces.dimension;
    return is_far(plan, matrix) && d->merge[side] && d->axis[side]->coords > 1;
}

/* Whether a matrix is moved, and its owners part these pieces. */
static bool parted(const sct_plan *plan, const sct_list *list, int matrix) {
    return matrix != plan->stay && list->pieces.parted[sct_matrix_side(matrix, list->dim)];
}

/* Whether a loop parts C among those to whom its sums go; and whether also the other matrix that
 * has its dimension. */
static bool adds(const sct_plan *plan, const sct_list *list) {
    return sct_matrix_has(SCT_MAT_C, list->dim) && parted(plan, list, SCT_MAT_C);
}

static bool reads_too(const sct_plan *plan, const sct_list *list) {
    return parted(plan, list, list->dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B);
}

/* Whether more of C is added in a box for each index of a loop, so many times, than of the other
 * matrix is read. */
static bool adds_more(const sct_plan *plan, const sct_box *box, int dim, int64_t times) {
    int across = dim == SCT_DIM_M ? SCT_DIM_N : SCT_DIM_M;
    int64_t added = plan->list[box->list[across]].pieces.total;
    return plan->list[box->list[SCT_DIM_K]].pieces.total < times * added;
}

/* Whether a box's loop ends with what is the rank's own of C, so that the rest has left when it is
 * done, rather than begins with what is its own of another matrix. What is added leaves late, in
 * large slices, what is read may come early: so C counts unless it is far less, or not parted. */
static bool ends_with_own(const sct_plan *plan, const sct_box *box, const sct_list *list) {
    enum { FAR_LESS = 8 };
    return adds(plan, list) &&
           (!reads_too(plan, list) ||
            (!merged(plan, list, SCT_MAT_C) && adds_more(plan, box, list->dim, FAR_LESS)));
}

/* Whether a matrix has to travel, and its owners part nothing else of it: then each rank, of one
 * replica, has pieces for itself. */
static bool parted_alone(const sct_plan *plan, const sct_list *list, int matrix) {
    int across = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == list->dim);
    sct_dimension other = sct_product_dimension(&plan->product, across);
    return is_far(plan, matrix) && other.axis[sct_matrix_side(matrix, across)]->coords == 1;
}

/* Whether a loop is to end with the rank's own of C, whatever the grids are: if more is added than
 * read. Ranks whose own differs then add to different ones at any time. Tiles are gone through as
 * the paper has it. */
static bool led_by_sums(const sct_plan *plan, const sct_box *box, const sct_list *list) {
    return plan->options.slicing == SCT_SLICE_CLASS && adds(plan, list) &&
           is_far(plan, SCT_MAT_C) &&
           (!reads_too(plan, list) || adds_more(plan, box, list->dim, 1));
}

static bool any_of(const sct_spans *spans, int coord) {
    for (int64_t i = 0; i < spans->count; i++)
        if (sct_spans_list(spans)[i].coord == coord)
            return true;
    return false;
}

/* The first piece in which there is something of the rank's own of a matrix, or none. */
static int64_t own_piece(const sct_plan *plan, const sct_list *list, int matrix) {
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
        if (any_of(&piece.side[side], coord))
            return i;
    }
    return NONE;
}

/* Whether pieces have to travel, and are of several owners, be it in one piece. */
static bool travels(const sct_plan *plan, const sct_list *list) {
    bool far = false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        far |= merged(plan, list, matrix) || (parted(plan, list, matrix) && is_far(plan, matrix));
    }
    return far;
}

/* Whether they do, and no owners part them: then they do not stand in rows. */
static bool in_one_row(const sct_plan *plan, const sct_list *list) {
    return list->pieces.sets == 1 && travels(plan, list);
}

/* Row plus column of the rank's cell; replicas of a cell that need the same pieces, which may have
 * to travel, begin apart. Among pieces in one row as far apart as can be. */
static int64_t shifted(const sct_plan *plan, const sct_box *box, const sct_list *list) {
    const sct_layout *stay = plan->product.layout[plan->stay];
    int64_t shift = (int64_t)box->cell.row + box->cell.col, replicas = stay->replicas;
    int64_t most = (int64_t)stay->rows.coords + stay->cols.coords - 1;
    int64_t home = list->coord >= 0 && travels(plan, list) ? sct_layout_home(stay, plan->rank) : 0;
    if (in_one_row(plan, list))
        return (shift * replicas + home) * list->pieces.count / (most * replicas);
    return shift + home * sct_max(1, list->pieces.sets / replicas);
}

/* The row of pieces with which a loop begins, or behind which, if that ends it: the rank's own, of
 * C if sums lead, or if ranks then begin at as many owners as there are. In a grid like that of the
 * stationary matrix they do where they begin at row plus column. */
static int64_t first_row(const sct_plan *plan, const sct_box *box, const sct_list *list,
                         int64_t row) {
    int64_t begin = led_by_sums(plan, box, list) ? own_piece(plan, list, SCT_MAT_C) : NONE;
    if (begin != NONE)
        return begin / row;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        if (!parted(plan, list, matrix))
            continue;
        int64_t own = parted_alone(plan, list, matrix) ? own_piece(plan, list, matrix) : NONE;
        if (own == NONE || (begin != NONE && own != begin))
            return shifted(plan, box, list);
        begin = own;
    }
    return begin == NONE ? shifted(plan, box, list) : begin / row;
}

bool sct_plan_comes_and_leaves(const sct_plan *plan) {
    const sct_list *list = &plan->list[0];
    int across = list->dim == SCT_DIM_M ? SCT_DIM_N : SCT_DIM_M;
    if (plan->stay == SCT_MAT_C || across != sct_product_line_dim(&plan->product))
        return false;
    for (int side = 0; side < 2; side++) {
        int matrix = sct_dim_matrix(list->dim, side);
        if (!parted(plan, list, matrix) || !parted_alone(plan, list, matrix))
            return false;
    }
    return sct_plan_breadth(plan, SCT_DIM_K) > sct_plan_breadth(plan, across);
}

sct_tour sct_plan_tour(const sct_plan *plan, const sct_box *box, int dim) {
    const sct_list *list = &plan->list[box->list[dim]];
    const sct_pieces *pieces = &list->pieces;
    if (plan->options.start == SCT_START_ALIKE || pieces->count == 0)
        return (sct_tour){0, 1};
    int64_t row = in_one_row(plan, list) ? 1 : (pieces->count - 1) / pieces->sets + 1;
    int64_t own = NONE;
    if (list->coord < 0 && row > 1 && sct_plan_comes_and_leaves(plan))
        own = own_piece(plan, list, SCT_MAT_C);
    if (own != NONE)
        return (sct_tour){(own + row / 2) % pieces->count, 1};
    int64_t first = first_row(plan, box, list, row) + ends_with_own(plan, box, list);
    return (sct_tour){first % pieces->count, row};
}

int64_t sct_tour_piece(sct_tour tour, int64_t turn, int64_t count) {
    int64_t at = (turn + tour.start) % count;
    if (tour.row == 1)
        return at;
    int64_t rows = (count - 1) / tour.row + 1, short_row = count - (rows - 1) * tour.row;
    int64_t rest = at - rows * short_row;
    return rest < 0 ? at % rows * tour.row + at / rows
                    : rest % (rows - 1) * tour.row + short_row + rest / (rows - 1);
}

/* Whether it has to wait for something from beyond reach. */
static bool lacks(const sct_plan *plan, const sct_task *task) {
    bool any = false;
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++)
        any |= !task->operand[matrix].in_place && is_far(plan, matrix);
    return any;
}

static bool is_own(const sct_plan *plan, const sct_operand *operand) {
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment fragment;
    bool own = true;
    while (own && sct_fragments_next(&fragments, &fragment))
        own = fragment.place.rank == plan->rank;
    return own;
}

/* Whether a step's sum is the rank's own, elsewhere than in place, and lacks nothing. */
static bool adds_to_own(const sct_plan *plan, int64_t step) {
    sct_task task;
    sct_plan_task(plan, step, &task);
    const sct_operand *c = &task.operand[SCT_MAT_C];
    return !lacks(plan, &task) && !c->in_place && is_own(plan, c);
}

/* One of the last sum, if it and the step before the last are the rank's own and lack nothing: a
 * panel, where fetching ahead is up to the plan, or a sum of one, since another then remains. */
static int64_t lead_of_sums(const sct_plan *plan, const sct_box *box, int64_t panels) {
    int64_t end = box->first + box->steps;
    bool may = (plan->fetches_ahead > 0 || panels == 1) &&
               adds_to_own(plan, end - sct_max(panels, 2)) && adds_to_own(plan, end - 1);
    return may ? box->steps - 1 : 0;
}

/* The first panel of C's only sum that lacks nothing. */
static int64_t lead_of_panels(const sct_plan *plan, const sct_box *box) {
    enum { LOOK_AHEAD = 64 };
    int64_t end = sct_min(box->steps, LOOK_AHEAD);
    for (int64_t at = 1; at < end; at++) {
        sct_task task;
        sct_plan_task(plan, box->first + at, &task);
        if (!lacks(plan, &task) && task.operand[SCT_MAT_C].in_place)
            return at;
    }
    return 0;
}

int64_t sct_plan_lead(const sct_plan *plan, const sct_box *box) {
    int64_t panels = plan->list[box->list[SCT_DIM_K]].pieces.count;
    if (plan->options.slicing == SCT_SLICE_TILE || plan->options.start == SCT_START_ALIKE ||
        box->steps < 2)
        return 0;
    sct_task first;
    sct_plan_task(plan, box->first, &first);
    if (!lacks(plan, &first))
        return 0;
    if (plan->nest[SCT_DIMS - 1] == SCT_DIM_K)
        return lead_of_sums(plan, box, panels);
    return box->steps == panels ? lead_of_panels(plan, box) : 0;
}
