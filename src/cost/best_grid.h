/* best_grid.h - how little a rank moves if ranks share the work as a grid. */
#ifndef SCT_COST_BEST_GRID_H
#define SCT_COST_BEST_GRID_H

#include "base/type.h"

/* Bytes of a rank of the grid with which that is the least. */
double sct_grid_least(sct_type type, int64_t m, int64_t n, int64_t k, int ranks);

#endif
