/* stationary.c - which matrix stays, by the time that the machine would take. */
#include "cost/estimate.h"
#include "planner/planner.h"

#include "base/checked.h"

static double elements(const sct_product *product, int matrix) {
    return (double)product->size[sct_matrix_dim(matrix, 0)] *
           (double)product->size[sct_matrix_dim(matrix, 1)];
}

/* Of two with which a product takes as long: the larger one, or that of which sums are not cut
 * along C's lines, since the BLAS is slow where they are short. */
static bool is_rather(const sct_product *product, int matrix, int other) {
    double one = elements(product, matrix), two = elements(product, other);
    return one > two || (one == two && sct_free_dim(other) == sct_product_line_dim(product));
}

/* Nodes as the matrix has them that is seen by most. */
static void suppose(const sct_product *product, struct sct_machine *machine) {
    int per_node = 1;
    for (int matrix = 0; matrix < SCT_MATS; matrix++)
        per_node = (int)sct_max(per_node, product->ranks_per_node[matrix]);
    *machine = sct_machine_plain(per_node);
}

int sct_plan_choose(const sct_product *product, const sct_machine *machine) {
    struct sct_machine supposed;
    if (!machine) {
        suppose(product, &supposed);
        machine = &supposed;
    }
    int best = SCT_MAT_C;
    sct_estimate least = sct_estimate_find(product, machine, best);
    for (int matrix = SCT_MAT_A; matrix <= SCT_MAT_B; matrix++) {
        sct_estimate estimate = sct_estimate_find(product, machine, matrix);
        bool equal = !sct_estimate_better(estimate, least) && !sct_estimate_better(least, estimate);
        if (sct_estimate_better(estimate, least) || (equal && is_rather(product, matrix, best))) {
            best = matrix;
            least = estimate;
        }
    }
    return best;
}
