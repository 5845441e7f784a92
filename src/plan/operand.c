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

static void find_operand(const sct_plan *plan, int matrix, sct_task *task) {
    const sct_product *product = &plan->product;
    const sct_layout *layout = product->layout[matrix];
    sct_operand *operand = &task->operand[matrix];
    *operand = (sct_operand){.matrix = matrix,
                             .layout = layout,
                             .replica = sct_layout_home(layout, plan->rank),
                             .conjugate = sct_product_conjugates(product, matrix) &&
                                          !sct_product_transposes(product, matrix)};
    bool swapped = (product->op[matrix] != SCT_N) != (layout->order == SCT_COL_MAJOR);
    sct_spans spans[2];
    for (int which = 0; which < 2; which++) {
        int dim = sct_matrix_dim(matrix, which);
        operand->piece[which] = task->piece[dim];
        spans[which] = task->piece[dim]->side[sct_matrix_side(matrix, dim)];
    }
    operand->lines = spans[swapped];
    operand->within = spans[!swapped];
    operand->line_count = operand->piece[swapped]->indices.count;
    operand->line_size = operand->piece[!swapped]->indices.count;
    operand->type = product->type[matrix];
    operand->widen = operand->type != product->type[SCT_MAT_C];
    if (sct_operand_fragments(operand) > 1 || operand->conjugate || operand->widen)
        return;
    sct_fragments fragments = sct_operand_begin(operand);
    sct_fragment only;
    sct_fragments_next(&fragments, &only);
    operand->in_place = (matrix != SCT_MAT_C || plan->exclusive) &&
                        sct_product_reaches(product, matrix, plan->rank, only.place.rank);
}

void sct_plan_task(const sct_plan *plan, int64_t step, sct_task *task) {
    const sct_turn *at = plan->agenda.turn ? &plan->agenda.turn[step] : NULL;
    int64_t number = at ? at->step : step;
    const sct_box *box = box_of(plan, number);
    int64_t rest = number - box->first, turn[SCT_DIMS], count[SCT_DIMS];
    *task = (sct_task){.step = step, .box = box, .slot = {-1, -1, -1}};
    for (int level = SCT_DIMS - 1; level >= 0; level--) {
        int dim = plan->nest[level];
        const sct_pieces *pieces = &plan->list[box->list[dim]].pieces;
        count[dim] = pieces->count;
        turn[dim] = rest % count[dim];
        rest /= count[dim];
        task->piece[dim] = &pieces->piece[(turn[dim] + box->start[dim]) % count[dim]];
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        find_operand(plan, matrix, task);
    if (at) {
        task->fresh = at->fresh;
        task->flush = at->flush;
        return;
    }
    bool innermost = plan->nest[SCT_DIMS - 1] == SCT_DIM_K;
    bool one_by_one = !innermost && !task->operand[SCT_MAT_C].in_place;
    task->fresh = one_by_one || turn[SCT_DIM_K] == 0;
    task->flush = !task->operand[SCT_MAT_C].in_place &&
                  (one_by_one || turn[SCT_DIM_K] == count[SCT_DIM_K] - 1);
}

int64_t sct_plan_uses(const sct_plan *plan, const sct_task *task, int matrix) {
    if (matrix == plan->stay)
        return plan->list[0].pieces.count;
    int shared = sct_matrix_dim(matrix, sct_matrix_dim(matrix, 0) == plan->list[0].dim);
    return plan->list[task->box->list[shared]].partners;
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

sct_fragments sct_operand_begin(const sct_operand *operand) {
    return (sct_fragments){.operand = operand};
}

bool sct_fragments_next(sct_fragments *f, sct_fragment *fragment) {
    const sct_operand *operand = f->operand;
    if (f->i == operand->lines.count)
        return false;
    const sct_span *lines = &operand->lines.span[f->i], *within = &operand->within.span[f->j];
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
