/* limit.c - the limit on the workspace of a plan: the one given, or by default as much as the
 * rank's own parts of the matrices take. */
#include "base/checked.h"
#include "plan/constants.h"
#include "planner/planner.h"

#include <math.h>

/* The bytes of a rank's parts of A, B and C. */
static double own_parts(const sct_product *product, int rank) {
    double parts = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        size_t bytes = 0;
        sct_layout_bytes(product->layout[matrix], product->type[matrix], rank, &bytes);
        parts += (double)bytes;
    }
    return parts;
}

/* The mean of all ranks. */
static double mean_parts(const sct_product *product) {
    double parts = 0;
    for (int matrix = 0; matrix < SCT_MATS; matrix++) {
        const sct_layout *layout = product->layout[matrix];
        parts += (double)layout->rows.extent * (double)layout->cols.extent * layout->replicas *
                 (double)sct_type_bytes(product->type[matrix]);
    }
    return parts / product->ranks;
}

static double limit_for(const sct_options *options, double parts) {
    double capacity = options->machine->capacity;
    double left = capacity > 0 ? capacity - parts : INFINITY;
    if (options->workspace == SCT_NO_LIMIT)
        return INFINITY;
    if (options->workspace > 0)
        return (double)options->workspace;
    return sct_smaller(sct_larger(parts, SCT_LEAST_LIMIT), sct_larger(left, 1));
}

double sct_workspace_limit(const sct_product *product, const sct_options *options, int rank) {
    return limit_for(options, own_parts(product, rank));
}

double sct_workspace_limit_of_all(const sct_product *product, const sct_options *options) {
    return limit_for(options, mean_parts(product));
}
