/* best_grid.h - the fewest bytes that a rank moves if the ranks share the work as a grid. */
#ifndef SCT_COST_BEST_GRID_H
#define SCT_COST_BEST_GRID_H

#include "base/type.h"

/* The bytes that one rank moves on the best m x n x k grid. */
double sct_grid_least(sct_type type, int64_t m, int64_t n, int64_t k, int ranks);

#endif
