/* stationary.c - chooses the stationary matrix by estimated time. */
#include "cost/estimate.h"
#include "planner/planner.h"

#include "base/checked.h"

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

/* The default machine, with nodes as large as the largest group of ranks that share a matrix. */
static void assume_machine(const sct_product *product, struct sct_machine *machine) {
    int per_node = 1;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        per_node = (int)sct_max(per_node, product->ranks_per_node[matrix]);
    *machine = sct_machine_default(per_node);
}

int sct_plan_choose_stationary(const sct_product *product, const sct_machine *machine) {
    struct sct_machine assumed;
    if (!machine) {
        assume_machine(product, &assumed);
        machine = &assumed;
    }
    int best = SCT_MAT_C;
    sct_work_layout work = sct_work_stationary(product, best);
    sct_estimate least = sct_estimate_find(product, machine, &work);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        work = sct_work_stationary(product, matrix);
        sct_estimate estimate = sct_estimate_find(product, machine, &work);
        bool equal = !sct_estimate_better(estimate, least) && !sct_estimate_better(least, estimate);
        if (sct_estimate_better(estimate, least) ||
            (equal && is_preferred(product, matrix, best))) {
            best = matrix;
            least = estimate;
        }
    }
    return best;
}
