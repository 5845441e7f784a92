/* operand.c - decodes a step's number into its pieces, and its pieces into memory. */
#include "plan/operand.h"

static const sct_box *box_of(const sct_plan *plan, int64_t step) {
    int lo = 0, hi = plan->boxes;
    while (hi - lo > 1) {
        int middle = lo + (hi - lo) / 2;
        if (plan->box[middle].first <= step)
            lo = middle;
        else
            hi = middle;
    }
    return &plan->box[lo];
}

static void find_operand(const sct_plan *plan, int matrix, const int64_t number[SCT_DIMS],
                         sct_task *task) {
    const sct_product *product = &plan->product;
    const sct_layout *layout = product->layout[matrix];
    sct_operand *operand = &task->operand[matrix];
    bool swapped = (product->op[matrix] != SCT_N) != (layout->order == SCT_COL_MAJOR);
    int lines = sct_matrix_dim(matrix, swapped), within = sct_matrix_dim(matrix, !swapped);
    *operand = (sct_operand){.matrix = matrix,
                             .type = product->type[matrix],
                             .layout = layout,
                             .replica = sct_layout_home(layout, plan->rank),
                             .lines = task->piece[lines].side[sct_matrix_side(matrix, lines)],
                             .within = task->piece[within].side[sct_matrix_side(matrix, within)],
                             .line_count = task->piece[lines].indices.count,
                             .line_size = task->piece[within].indices.count,
                             .conjugate = sct_product_conjugates(product, matrix) &&
                                          !sct_product_transposes(product, matrix),
                             .widen = product->type[matrix] != product->type[SCT_MAT_C],
                             .piece = {number[lines], number[within]}};
    if (sct_operand_fragments(operand) > 1 || operand->conjugate || operand->widen)
        return;
    operand->in_place =
        (matrix != SCT_MAT_C || plan->exclusive) &&
        sct_product_reaches(product, matrix, plan->rank, sct_operand_first(operand).rank);
}

/* Where a loop starts, modulo its pieces: so that not all ranks read from, or add to, one at once.
 * What is read begins with the rank's own, what is added to ends with it: all that has to travel
 * then does while something is multiplied. */
static int64_t loop_start(const sct_plan *plan, const sct_box *box, int dim) {
    return box->offset + (plan->stay != SCT_MAT_C && sct_matrix_has(SCT_MAT_C, dim));
}

void sct_plan_task(const sct_plan *plan, int64_t step, sct_task *task) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    sct_plan_read(plan, step, &readers, task);
}

void sct_plan_read(const sct_plan *plan, int64_t step, sct_readers *readers, sct_task *task) {
    const sct_box *box = box_of(plan, step);
    int64_t rest = step - box->first, turn[SCT_DIMS], count[SCT_DIMS], number[SCT_DIMS];
    task->step = step;
    for (int level = SCT_DIMS - 1; level >= 0; level--) {
        int dim = plan->nest[level];
        const sct_list *list = &plan->list[box->list[dim]];
        count[dim] = list->pieces.count;
        turn[dim] = rest % count[dim];
        rest /= count[dim];
        int64_t index = (turn[dim] + loop_start(plan, box, dim)) % count[dim];
        number[dim] = list->first + index;
        sct_pieces_read(&list->pieces, index, &readers->of[dim], &task->piece[dim]);
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        task->slot[matrix] = -1;
        find_operand(plan, matrix, number, task);
    }
    bool innermost = plan->nest[SCT_DIMS - 1] == SCT_DIM_K;
    bool one_by_one = !innermost && !task->operand[SCT_MAT_C].in_place;
    task->fresh = one_by_one || turn[SCT_DIM_K] == 0;
    task->flush = !task->operand[SCT_MAT_C].in_place &&
                  (one_by_one || turn[SCT_DIM_K] == count[SCT_DIM_K] - 1);
}

int64_t sct_plan_uses(const sct_plan *plan, const sct_task *task, int matrix) {
    const sct_box *box = box_of(plan, task->step);
    if (matrix == plan->stay)
        return plan->list[0].pieces.count;
    int shared = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == plan->list[0].dim);
    return plan->list[box->list[shared]].partners;
}

size_t sct_operand_bytes(const sct_operand *operand, sct_type type) {
    return (size_t)operand->line_count * (size_t)operand->line_size * sct_type_bytes(type);
}

int64_t sct_operand_fragments(const sct_operand *operand) {
    return operand->lines.count * operand->within.count;
}

sct_place sct_operand_place(const sct_operand *operand, int lines, int within) {
    bool by_rows = operand->layout->order == SCT_ROW_MAJOR;
    sct_cell cell = {by_rows ? lines : within, by_rows ? within : lines};
    return sct_layout_place(operand->layout, operand->replica, cell);
}

sct_place sct_operand_first(const sct_operand *operand) {
    return sct_operand_place(operand, operand->lines.first.coord, operand->within.first.coord);
}

sct_fragments sct_operand_begin(const sct_operand *operand) {
    return (sct_fragments){.operand = operand};
}

bool sct_fragments_next(sct_fragments *f, sct_fragment *fragment) {
    const sct_operand *operand = f->operand;
    if (f->i == operand->lines.count)
        return false;
    const sct_span *lines = &sct_spans_list(&operand->lines)[f->i];
    const sct_span *within = &sct_spans_list(&operand->within)[f->j];
    *fragment = (sct_fragment){.place = sct_operand_place(operand, lines->coord, within->coord),
                               .line = lines->at,
                               .at = within->at,
                               .lines = lines->count,
                               .count = within->count,
                               .to_line = f->line,
                               .to_at = f->at};
    f->at += within->count;
    if (++f->j == operand->within.count) {
        f->j = f->at = 0;
        f->line += lines->count;
        f->i++;
    }
    return true;
}
