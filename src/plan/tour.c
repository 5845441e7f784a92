/* tour.c - in which order a loop goes through its pieces, so that neither a rank nor its network
 * has to wait.
 *
 * Ranks begin shifted against each other, so that not all read from, or add to, one at once. What
 * is read begins with the rank's own, what is added to ends with it: all that has to travel then
 * does while something is multiplied. Where owners' pieces are cut to be small, the owners take
 * turns: what is here is then multiplied between what travels. */
#include "plan/plan.h"

/* Whether a matrix is moved, and its owners part these pieces. */
static bool parted(const sct_plan *plan, const sct_list *list, int matrix) {
    return matrix != plan->stay && list->pieces.parted[sct_matrix_side(matrix, list->dim)];
}

/* Whether a box's loop ends with what is the rank's own of C, so that the rest has left when it is
 * done, rather than begins with what is its own of another matrix. What is added leaves late, in
 * large slices, what is read may come early: so C counts unless it is far less. */
static bool ends_with_own(const sct_plan *plan, const sct_box *box, const sct_list *list) {
    enum { FAR_LESS = 8 };
    int dim = list->dim;
    if (!sct_matrix_has(SCT_MAT_C, dim) || !parted(plan, list, SCT_MAT_C))
        return false;
    int other = dim == SCT_DIM_M ? SCT_MAT_A : SCT_MAT_B;
    int across = dim == SCT_DIM_M ? SCT_DIM_N : SCT_DIM_M;
    int64_t added = plan->list[box->list[across]].pieces.total;
    return !parted(plan, list, other) ||
           plan->list[box->list[SCT_DIM_K]].pieces.total / FAR_LESS < added;
}

sct_tour sct_plan_tour(const sct_plan *plan, const sct_box *box, int dim) {
    const sct_list *list = &plan->list[box->list[dim]];
    const sct_pieces *pieces = &list->pieces;
    if (plan->options.start == SCT_START_ALIKE || pieces->count == 0)
        return (sct_tour){0, 1};
    int64_t first = (int64_t)box->cell.row + box->cell.col + ends_with_own(plan, box, list);
    return (sct_tour){first % pieces->count, (pieces->count - 1) / pieces->sets + 1};
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
