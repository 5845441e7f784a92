/* proof.c - proves, without data, that plans are the product.
 *
 * Coverage is a polynomial identity: give (i, l, j) the weight x^i y^l z^j. The weights of all
 * steps must add up to that of the whole product. If a triple is missing or done twice, the two
 * sides are different polynomials; at x, y, z drawn from the integers modulo 2^61 - 1 they agree
 * with a probability below (m + k + n) / 2^61. Sums over a range have a closed form, so nothing is
 * stored per index. */
#include "plan/proof.h"

#include "plan/operand.h"

#include "base/checked.h"
#include "base/status.h"

static const uint64_t prime = (UINT64_C(1) << 61) - 1;
static const uint64_t base_of[SCT_DIMS] = {1500450271838271, 2147483659000007, 1099511627791131};

static uint64_t times(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t plus(uint64_t a, uint64_t b) {
    return a + b >= prime ? a + b - prime : a + b;
}

static uint64_t power(uint64_t base, int64_t exponent) {
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, base = times(base, base))
        if (exponent & 1)
            result = times(result, base);
    return result;
}

/* The sum of base^i over a range, times (base - 1). */
static uint64_t range_weight(int dim, sct_range range) {
    return plus(power(base_of[dim], range.hi), prime - power(base_of[dim], range.lo));
}

static uint64_t step_weight(const sct_task *task) {
    uint64_t weight = 1;
    for (int dim = 0; dim < SCT_DIMS; dim++) {
        const sct_indices *indices = &task->piece[dim].indices;
        uint64_t sum = 0;
        for (int64_t i = 0; i < indices->ranges; i++)
            sum = plus(sum, range_weight(dim, sct_indices_range(indices, i)));
        weight = times(weight, sum);
    }
    return weight;
}

/* The number of indices from i on that are stored consecutively at position `at` of coord's class.
 */
static int64_t stored_together(const sct_axis *axis, int64_t i, int coord, int64_t at) {
    int64_t block = sct_axis_block(axis, i);
    sct_range bounds = sct_axis_bounds(axis, block);
    bool right = sct_axis_owner(axis, block) == coord &&
                 sct_axis_position(axis, block) + i - bounds.lo == at;
    return right ? bounds.hi - i : 0;
}

/* True if a side's spans hold the indices of a piece, in order. */
static bool side_holds(const sct_dimension *d, int side, const sct_piece *piece) {
    const sct_spans *spans = &piece->side[side];
    int64_t span = 0, used = 0;
    for (int64_t r = 0; r < piece->indices.ranges; r++) {
        sct_range range = sct_indices_range(&piece->indices, r);
        while (range.lo < range.hi) {
            if (span == spans->count)
                return false;
            sct_span at = sct_spans_get(spans, span);
            int64_t here =
                stored_together(d->axis[side], range.lo + d->offset[side], at.coord, at.at + used);
            here = sct_min(sct_min(here, range.hi - range.lo), at.count - used);
            if (here <= 0)
                return false;
            range.lo += here;
            used += here;
            if (used == at.count) {
                span++;
                used = 0;
            }
        }
    }
    return span == spans->count;
}

/* True if the slice lies in the fetched spans at the offset that the operand says. */
static bool holds(const sct_spans *all, int64_t skip, const sct_spans *slice, int64_t count) {
    int64_t sum = 0;
    for (int64_t i = 0; i < sct_spans_listed(all); i++)
        sum += sct_spans_times(all, i) * sct_spans_item(all, i).count;
    return skip >= 0 && skip + count <= sum && all->first.coord == slice->first.coord &&
           all->first.at + skip == slice->first.at;
}

/* True if two spans of an operand meet in an existing cell of the layout, and lie within it. */
static bool is_stored(const sct_layout *layout, int replica, const sct_span *lines,
                      const sct_span *within, sct_place place) {
    bool by_rows = layout->order == SCT_ROW_MAJOR;
    sct_cell cell = {(by_rows ? lines : within)->coord, (by_rows ? within : lines)->coord};
    sct_place right = sct_layout_place(layout, replica, cell);
    return place.rank == right.rank && place.block == right.block &&
           lines->at + lines->count <= sct_layout_lines(layout, cell) &&
           within->at + within->count <= sct_layout_line_size(layout, cell);
}

/* True if an operand lies where the layout says, and covers what the step needs. */
static bool operand_owned(const sct_product *product, const sct_task *task, int matrix) {
    const sct_layout *layout = product->layout[matrix];
    const sct_operand *operand = &task->operand[matrix];
    const sct_spans *brought[2] = {&operand->lines, &operand->within};
    int64_t skip[2] = {operand->line, operand->at};
    bool owned = operand->replica < layout->replicas;
    for (int i = 0; i < 2; i++) {
        int dim = operand->dim[i], side = sct_matrix_side(matrix, dim);
        const sct_piece *piece = &task->piece[dim];
        sct_dimension d = sct_product_dimension(product, dim);
        owned = owned && side_holds(&d, side, piece) &&
                holds(brought[i], skip[i], &piece->side[side], piece->indices.count);
    }
    for (int64_t i = 0; i < operand->lines.count; i++)
        for (int64_t j = 0; j < operand->within.count; j++) {
            sct_span lines = sct_spans_get(&operand->lines, i);
            sct_span within = sct_spans_get(&operand->within, j);
            owned = owned && is_stored(layout, operand->replica, &lines, &within,
                                       sct_operand_place(operand, lines.coord, within.coord));
        }
    return owned;
}

/* A sum in workspace: the pieces of its slice of C. */
typedef struct sct_open_sum {
    bool open;
    int64_t m, n;
} sct_open_sum;

/* Follows the sum from step to step. False if the step does not continue the current one, or begins
 * another before it is handed over. */
static bool follow_sum(const sct_task *task, sct_open_sum *sum) {
    bool right = task->fresh != sum->open;
    if (task->fresh)
        *sum = (sct_open_sum){true, task->number[SCT_DIM_M], task->number[SCT_DIM_N]};
    right = right && sum->m == task->number[SCT_DIM_M] && sum->n == task->number[SCT_DIM_N];
    sum->open = !task->flush;
    return right;
}

sct_proof sct_proof_begin(const sct_product *product) {
    return (sct_proof){.product = product, .weight = 0};
}

sct_status sct_proof_add(sct_proof *proof, const sct_plan *plan) {
    sct_readers readers = {.of = {{.pieces = NULL}}};
    sct_open_sum sum = {.open = false};
    bool handed_over = true;
    sct_task task;
    for (int64_t step = 0; step < plan->steps; step++) {
        sct_plan_read(plan, step, &readers, &task);
        if (!task.operand[SCT_MAT_C].in_place)
            handed_over &= follow_sum(&task, &sum);
        for (int matrix = 0; matrix < SCT_MATS; matrix++)
            if (!operand_owned(proof->product, &task, matrix))
                return sct_fail(SCT_FAILED, "rank %d, step %lld: %c is not where its layout says",
                                plan->rank, (long long)step, 'A' + matrix);
        proof->weight = plus(proof->weight, step_weight(&task));
    }
    if (!handed_over || sum.open)
        return sct_fail(SCT_FAILED, "rank %d: a contribution to C is not accumulated exactly once",
                        plan->rank);
    return SCT_OK;
}

sct_status sct_proof_end(const sct_proof *proof) {
    uint64_t whole = 1;
    for (int dim = 0; dim < SCT_DIMS; dim++)
        whole = times(whole, range_weight(dim, (sct_range){0, proof->product->size[dim]}));
    return proof->weight == whole
               ? SCT_OK
               : sct_fail(SCT_FAILED,
                          "some product of A[i, l] and B[l, j] is not done exactly once");
}
