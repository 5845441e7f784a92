/* best_grid.c - tries all m x n x k grids with as many places as ranks.
 *
 * On a grid, a rank needs a block of each matrix. It owns its share of the blocks that it shares
 * with other ranks, as one copy of each matrix gives it, and moves the rest. */
#include "cost/best_grid.h"

#include <math.h>

/* The block size, rounded up. */
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
