/* best_grid.c - tries all grids of m x n x k with as many places as there are ranks.
 *
 * On a grid a rank needs a block of each matrix, has its share of those of which others need the
 * same, as one copy of each matrix leaves it, and moves the rest. */
#include "cost/best_grid.h"

#include <math.h>

/* Rounded up. */
static double block(int64_t size, int parts) {
    return (double)((size - 1) / parts + 1);
}

double sct_grid_least(sct_type type, int64_t m, int64_t n, int64_t k, int ranks) {
    double least = INFINITY, in = (double)sct_type_bytes(type);
    double sum = (double)sct_type_bytes(sct_type_sum(type));
    for (int pm = 1; pm <= ranks; pm++)
        for (int pn = 1; ranks % pm == 0 && pn <= ranks / pm; pn++) {
            int pk = ranks / pm / pn;
            double bm = block(m, pm), bn = block(n, pn), bk = block(k, pk);
            if (pm * pn * pk == ranks)
                least = fmin(least, in * bm * bk * (1 - 1.0 / pn) + in * bk * bn * (1 - 1.0 / pm) +
                                        sum * bm * bn * (1 - 1.0 / pk));
        }
    return least;
}
