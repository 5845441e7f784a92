/* work_choice.c - chooses the work layout by estimated time: that of A, of B or of C, or a grid. */
#include "cost/estimate.h"
#include "planner/planner.h"
#include "planner/work_grids.h"

static double elements(const sct_product *product, int matrix) {
    return (double)product->size[sct_matrix_dim(matrix, 0)] *
           (double)product->size[sct_matrix_dim(matrix, 1)];
}

/* Breaks a tie: prefers the larger matrix, or the one whose contributions are not cut along the
 * lines of C, since the BLAS is slow on short lines. */
static bool is_preferred(const sct_product *product, int matrix, int other) {
    double one = elements(product, matrix), two = elements(product, other);
    return one > two || (one == two && sct_free_dim(other) == sct_product_line_dim(product));
}

/* The best choice so far. */
typedef struct sct_contest {
    const sct_product *product;
    const sct_machine *machine;
    sct_work_layout best;
    sct_estimate estimate;
} sct_contest;

static void consider(sct_contest *contest, const sct_work_layout *work) {
    sct_estimate estimate = sct_estimate_find(contest->product, contest->machine, work);
    bool equal = !sct_estimate_better(estimate, contest->estimate) &&
                 !sct_estimate_better(contest->estimate, estimate);
    if (sct_estimate_better(estimate, contest->estimate) ||
        (equal && work->stationary &&
         is_preferred(contest->product, work->shape, contest->best.shape))) {
        contest->best = *work;
        contest->estimate = estimate;
    }
}

sct_status sct_work_choose(const sct_product *product, const sct_machine *machine,
                           sct_work_layout *work) {
    sct_contest contest = {
        .product = product, .machine = machine, .best = sct_work_stationary(product, SCT_MAT_C)};
    contest.estimate = sct_estimate_find(product, machine, &contest.best);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        sct_work_layout stationary = sct_work_stationary(product, matrix);
        consider(&contest, &stationary);
    }
    sct_work_proposals proposals;
    sct_status status = sct_work_propose(product, machine, &proposals);
    if (status)
        return status;
    for (int i = 0; i < proposals.count; i++)
        consider(&contest, &proposals.work[i]);
    *work = contest.best;
    sct_layout_hold(work->layout);
    sct_work_proposals_clear(&proposals);
    return SCT_OK;
}
