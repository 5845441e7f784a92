/* operand.c - decodes the number of a step into pieces, and pieces into memory; counts the spans
 * of an operand by grid coordinate. */
#include "plan/operand.h"

#include "base/status.h"

#include <assert.h>
#include <stdlib.h>

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

/* True if a step may use the owner's memory in place. With --fetch tile, A and B are used in place
 * only if local. */
static bool is_reachable_in_place(const sct_plan *plan, int matrix, int owner) {
    if (matrix != SCT_MAT_C && plan->options.fetch == SCT_FETCH_TILE)
        return owner == plan->rank;
    return (matrix != SCT_MAT_C || plan->exclusive) &&
           sct_product_reaches(&plan->product, matrix, plan->rank, owner);
}

/* True if products use the blocks of A or B one by one in place: few enough, and none of them a
 * part of k. */
static bool is_used_blockwise(const sct_plan *plan, const sct_operand *operand) {
    int matrix = operand->matrix;
    if (matrix == SCT_MAT_C || plan->options.fetch == SCT_FETCH_TILE ||
        !sct_product_all_near(&plan->product, matrix))
        return false;
    const sct_spans *along_k = operand->dim[1] == SCT_DIM_K ? &operand->within : &operand->lines;
    return along_k->count == 1 && sct_operand_fragments(operand) <= plan->decisions.blocks[matrix];
}

/* For operands that need neither conjugation nor widening. */
static bool is_used_in_place(const sct_plan *plan, const sct_operand *operand) {
    if (sct_operand_fragments(operand) > 1)
        return is_used_blockwise(plan, operand);
    return is_reachable_in_place(plan, operand->matrix, sct_operand_first(operand).rank);
}

/* The tile of an operand in one dimension. */
static const sct_tile_span *tile_of(const sct_plan *plan, const sct_task *task, int matrix,
                                    int dim) {
    const sct_piece_list *list = &plan->list[task->box->list[dim]];
    const sct_tile_span *tiles = list->tile[sct_matrix_side(matrix, dim)];
    return tiles ? &tiles[task->number[dim] - list->first] : NULL;
}

/* Makes the operand the whole tile, of which the step uses a slice. */
static void take_tile(const sct_plan *plan, const sct_task *task, sct_operand *operand) {
    const sct_tile_span *lines = tile_of(plan, task, operand->matrix, operand->dim[0]);
    const sct_tile_span *within = tile_of(plan, task, operand->matrix, operand->dim[1]);
    assert(lines && within);
    operand->line = operand->lines.first.at - lines->span.at;
    operand->at = operand->within.first.at - within->span.at;
    operand->lines = (sct_spans){.count = 1, .first = lines->span};
    operand->within = (sct_spans){.count = 1, .first = within->span};
    operand->line_count = lines->span.count;
    operand->line_size = within->span.count;
}

static void find_operand(const sct_plan *plan, int matrix, sct_task *task) {
    const sct_product *product = &plan->product;
    const sct_layout *layout = product->layout[matrix];
    sct_operand *operand = &task->operand[matrix];
    bool swapped = (product->op[matrix] != SCT_N) != (layout->order == SCT_COL_MAJOR);
    int lines = sct_matrix_dim(matrix, swapped), within = sct_matrix_dim(matrix, !swapped);
    /* Assigned one by one: clearing the struct first would take most of the time of decoding a
     * step. */
    operand->matrix = matrix;
    operand->type = product->type[matrix];
    operand->layout = layout;
    operand->replica = sct_layout_home(layout, plan->rank);
    operand->lines = task->piece[lines].side[sct_matrix_side(matrix, lines)];
    operand->within = task->piece[within].side[sct_matrix_side(matrix, within)];
    operand->line_count = task->piece[lines].indices.count;
    operand->line_size = task->piece[within].indices.count;
    operand->line = operand->at = 0;
    operand->dim[0] = lines;
    operand->dim[1] = within;
    bool conjugate =
        sct_product_conjugates(product, matrix) && !sct_product_transposes(product, matrix);
    bool widen = product->type[matrix] != product->type[SCT_MAT_C] && !product->halves;
    /* In locals, because reading the fields back at once would stall on the stores. */
    operand->conjugate = conjugate;
    operand->widen = widen;
    operand->in_place = !conjugate && !widen && is_used_in_place(plan, operand);
    if (!operand->in_place && tile_of(plan, task, matrix, lines))
        take_tile(plan, task, operand);
}

/* Finds the pieces of a step, and the turn of each loop. */
static void find_pieces(const sct_plan *plan, int64_t step, sct_readers *readers, sct_task *task,
                        int64_t turn[SCT_DIMS]) {
    const sct_box *box = box_of(plan, step);
    int64_t rest = step - box->first;
    task->box = box;
    for (int level = SCT_DIMS - 1; level >= 0; level--) {
        int dim = plan->decisions.nest[level];
        const sct_piece_list *list = &plan->list[box->list[dim]];
        turn[dim] = rest % list->pieces.count;
        rest /= list->pieces.count;
        int64_t index = sct_loop_order_piece(box->order[dim], turn[dim], list->pieces.count);
        task->number[dim] = list->first + index;
        sct_pieces_read(&list->pieces, index, &readers->of[dim], &task->piece[dim]);
    }
}

/* Finds whether the step begins or completes a slice of C, from its turn in the loop over k. */
static void find_sum_bounds(const sct_plan *plan, int64_t turn, sct_task *task) {
    int64_t panels = plan->list[task->box->list[SCT_DIM_K]].pieces.count;
    bool in_place = task->operand[SCT_MAT_C].in_place;
    bool one_by_one = plan->decisions.nest[SCT_DIMS - 1] != SCT_DIM_K && !in_place;
    task->fresh = one_by_one || turn == 0;
    task->flush = !in_place && (one_by_one || turn == panels - 1);
}

void sct_plan_task(const sct_plan *plan, int64_t step, sct_task *task) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    sct_plan_read(plan, step, &readers, task);
}

void sct_plan_read(const sct_plan *plan, int64_t step, sct_readers *readers, sct_task *task) {
    const sct_ordered_step *at = plan->groups.ordered ? &plan->groups.ordered[step] : NULL;
    int64_t turn[SCT_DIMS];
    task->step = step;
    task->fetches = false;
    find_pieces(plan, at ? at->step : step, readers, task, turn);
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        task->slot[matrix] = -1;
        find_operand(plan, matrix, task);
    }
    if (at) {
        task->fresh = at->fresh;
        task->flush = at->flush;
        return;
    }
    find_sum_bounds(plan, turn[SCT_DIM_K], task);
}

/* Each dimension of the matrix is a factor; and the free dimension, if the matrix has the shape of
 * the work layout and so lacks it. */
int64_t sct_plan_uses(const sct_plan *plan, const sct_task *task, int matrix) {
    int64_t uses = matrix == plan->work.shape ? plan->list[0].pieces.count : 1;
    for (int which = 0; which < 2; which++) {
        int dim = sct_matrix_dim(matrix, which);
        const sct_tile_span *tile = tile_of(plan, task, matrix, dim);
        const sct_piece_list *list = &plan->list[task->box->list[dim]];
        uses *= tile ? tile->uses : sct_plan_partner_count(plan, list, matrix);
    }
    return uses;
}

size_t sct_operand_bytes(const sct_operand *operand, sct_type type) {
    return (size_t)operand->line_count * (size_t)operand->line_size * sct_type_bytes(type);
}

sct_type sct_operand_widest(const sct_product *product, const sct_operand *operand) {
    return operand->widen ? product->type[SCT_MAT_C] : operand->type;
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
    sct_span lines = sct_spans_get(&operand->lines, f->i);
    sct_span within = sct_spans_get(&operand->within, f->j);
    *fragment = (sct_fragment){.place = sct_operand_place(operand, lines.coord, within.coord),
                               .line = lines.at,
                               .at = within.at,
                               .lines = lines.count,
                               .count = within.count,
                               .to_line = f->line,
                               .to_at = f->at};
    f->at += within.count;
    if (++f->j == operand->within.count) {
        f->j = f->at = 0;
        f->line += lines.count;
        f->i++;
    }
    return true;
}

/* ---- Owners ---- */

/* Makes room for this many coordinates, all without a share yet. False: out of memory. */
static bool make_room(int room, sct_coord_shares *shares) {
    if (room <= shares->room)
        return true;
    free(shares->share);
    free(shares->place);
    shares->share = calloc((size_t)room, sizeof *shares->share);
    shares->place = calloc((size_t)room, sizeof *shares->place);
    shares->room = shares->share && shares->place ? room : 0;
    return shares->room > 0;
}

static void count_one(sct_span span, int64_t times, sct_coord_shares *shares) {
    int *place = &shares->place[span.coord - shares->base];
    if (*place == 0) {
        shares->share[shares->count] = (sct_coord_share){.coord = span.coord};
        *place = ++shares->count;
    }
    shares->share[*place - 1].spans += times;
    shares->share[*place - 1].indices += times * span.count;
}

/* Counts the spans by coordinate. Memory is proportional to the coordinates that occur. False: out
 * of memory. */
static bool count(const sct_spans *spans, sct_coord_shares *shares) {
    if (spans->all && spans->all == shares->of)
        return true;
    for (int i = 0; i < shares->count; i++)
        shares->place[shares->share[i].coord - shares->base] = 0;
    int64_t listed = sct_spans_listed(spans);
    int least = spans->first.coord, most = least;
    for (int64_t i = 1; i < listed; i++) {
        int coord = sct_spans_item(spans, i).coord;
        least = coord < least ? coord : least;
        most = coord > most ? coord : most;
    }
    shares->of = NULL;
    shares->count = 0;
    shares->base = least;
    if (!make_room(most - least + 1, shares))
        return false;
    for (int64_t i = 0; i < listed; i++)
        count_one(sct_spans_item(spans, i), sct_spans_times(spans, i), shares);
    shares->of = spans->all;
    return true;
}

void sct_owners_begin(sct_owners *owners, const sct_operand *operand) {
    owners->operand = operand;
    owners->element = sct_type_bytes(operand->type);
    owners->i = owners->j = 0;
    if (!count(&operand->lines, &owners->lines[operand->matrix]) ||
        !count(&operand->within, &owners->within[operand->matrix]))
        owners->status = sct_fail(SCT_NO_MEMORY, "no memory to count owners");
}

bool sct_owners_next(sct_owners *owners, sct_owner_share *owned) {
    const sct_operand *operand = owners->operand;
    const sct_coord_shares *lines = &owners->lines[operand->matrix];
    const sct_coord_shares *within = &owners->within[operand->matrix];
    if (owners->i == lines->count || within->count == 0)
        return false;
    const sct_coord_share *down = &lines->share[owners->i], *along = &within->share[owners->j];
    *owned = (sct_owner_share){.rank = sct_operand_place(operand, down->coord, along->coord).rank,
                               .fragments = down->spans * along->spans,
                               .bytes = (uint64_t)down->indices * (uint64_t)along->indices *
                                        owners->element};
    if (++owners->j == within->count) {
        owners->j = 0;
        owners->i++;
    }
    return true;
}

static void clear(sct_coord_shares *shares) {
    free(shares->share);
    free(shares->place);
}

sct_status sct_owners_end(sct_owners *owners, sct_status status) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        clear(&owners->lines[matrix]);
        clear(&owners->within[matrix]);
    }
    return status ? status : owners->status;
}
