/* tasks.c - steps of random plans are the same whether they are read in order, in random order or
 * singly. Two operands have the same number exactly if they are the same slice, and the same place
 * exactly if the same data are fetched for them. */
#include "plan/operand.h"
#include "support/check.h"
#include "support/problems.h"

#include "base/checked.h"

enum { CASES = 300, MOST = 24, MOST_STEPS = 200, READS = 40 };

typedef struct problem {
    sct_layout *layout[SCT_MATS];
    sct_problem value;
    sct_options options;
} problem;

static void make_problem(uint64_t *random, problem *p) {
    int64_t m = check_between(random, 1, MOST), k = check_between(random, 1, MOST);
    int64_t n = check_between(random, 1, MOST);
    int ranks = make_random_three(random, m, k, n, p->layout);
    p->value = problem_with(SCT_F64, p->layout, ranks);
    p->value.ranks_per_node = (int)check_between(random, 0, 2);
    p->options = (sct_options){.size = sizeof p->options,
                               .stay = (sct_stay)check_between(random, 0, 3),
                               .slicing = (sct_slicing)check_between(random, 0, 1),
                               .fetch = (sct_fetch)check_between(random, 0, 1),
                               .schedule = (sct_schedule)check_between(random, 0, 1)};
}

static bool same_spans(const sct_spans *x, const sct_spans *y) {
    bool same = x->count == y->count;
    for (int64_t i = 0; i < x->count && same; i++) {
        sct_span l = sct_spans_get(x, i), r = sct_spans_get(y, i);
        same = l.at == r.at && l.count == r.count && l.coord == r.coord;
    }
    return same;
}

static bool same_piece(const sct_piece *x, const sct_piece *y) {
    bool same = x->indices.count == y->indices.count && x->indices.ranges == y->indices.ranges;
    for (int64_t i = 0; i < x->indices.ranges && same; i++) {
        sct_range l = sct_indices_range(&x->indices, i), r = sct_indices_range(&y->indices, i);
        same = l.lo == r.lo && l.hi == r.hi;
    }
    return same && same_spans(&x->side[0], &y->side[0]) && same_spans(&x->side[1], &y->side[1]);
}

static bool same_slice(const sct_task *x, const sct_task *y, int matrix) {
    return same_piece(&x->piece[sct_matrix_dim(matrix, 0)], &y->piece[sct_matrix_dim(matrix, 0)]) &&
           same_piece(&x->piece[sct_matrix_dim(matrix, 1)], &y->piece[sct_matrix_dim(matrix, 1)]);
}

static bool same_numbers(const sct_task *x, const sct_task *y, int matrix) {
    int first = sct_matrix_dim(matrix, 0), second = sct_matrix_dim(matrix, 1);
    return x->number[first] == y->number[first] && x->number[second] == y->number[second];
}

static bool same_place(const sct_task *x, const sct_task *y, int matrix) {
    const sct_operand *l = &x->operand[matrix], *r = &y->operand[matrix];
    return sct_span_same_place(&l->lines.first, &r->lines.first) &&
           sct_span_same_place(&l->within.first, &r->within.first);
}

static bool same_brought(const sct_task *x, const sct_task *y, int matrix) {
    const sct_operand *l = &x->operand[matrix], *r = &y->operand[matrix];
    return same_spans(&l->lines, &r->lines) && same_spans(&l->within, &r->within);
}

static bool same_task(const sct_task *x, const sct_task *y) {
    bool same =
        x->step == y->step && x->box == y->box && x->fresh == y->fresh && x->flush == y->flush;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_operand *l = &x->operand[matrix], *r = &y->operand[matrix];
        same &= same_slice(x, y, matrix) && same_numbers(x, y, matrix) &&
                same_brought(x, y, matrix) && l->line == r->line && l->at == r->at &&
                l->in_place == r->in_place && x->slot[matrix] == -1 && y->slot[matrix] == -1;
    }
    return same;
}

/* Whether numbers and places tell operands apart. */
static bool named_right(const sct_task *x, const sct_task *y) {
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        if (same_numbers(x, y, matrix) != same_slice(x, y, matrix) ||
            same_place(x, y, matrix) != same_brought(x, y, matrix))
            return false;
    return true;
}

static void test_plan(int number, uint64_t *random, const sct_plan *plan) {
    static sct_task task[MOST_STEPS];
    sct_readers readers = {.of = {{.pieces = NULL}}};
    int64_t steps = sct_min(plan->steps, MOST_STEPS);
    for (int64_t i = 0; i < steps; i++)
        sct_plan_read(plan, i, &readers, &task[i]);
    for (int i = 0; i < READS && steps > 0; i++) {
        int64_t step = check_between(random, 0, steps - 1);
        sct_task read, alone;
        sct_plan_read(plan, step, &readers, &read);
        sct_plan_task(plan, step, &alone);
        CHECK_CASE(same_task(&read, &task[step]) && same_task(&alone, &task[step]),
                   "case %d, rank %d, step %lld", number, plan->rank, (long long)step);
    }
    bool right = true;
    for (int64_t i = 0; i < steps; i++)
        for (int64_t j = 0; j < i; j++)
            right &= named_right(&task[i], &task[j]);
    CHECK_CASE(right, "case %d, rank %d: names", number, plan->rank);
}

static void test_case(int number, uint64_t *random) {
    problem p;
    make_problem(random, &p);
    for (int rank = 0; rank < p.value.ranks; rank++) {
        sct_plan *plan;
        if (!CHECK(sct_plan_create(&p.value, rank, &p.options, &plan) == SCT_OK))
            break;
        test_plan(number, random, plan);
        sct_plan_destroy(plan);
    }
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        sct_layout_destroy(p.layout[matrix]);
}

int main(void) {
    uint64_t random = check_seed(1);
    for (int i = 0, cases = check_cases(CASES); i < cases; i++)
        test_case(i, &random);
    return check_report("tasks");
}
