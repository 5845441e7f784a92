/* tile_size.c - see tile_size.h. */
#include "measure/tile_size.h"

static const double least_seconds = 5e-4;

bool tile_is_enough(int64_t rows, bool device, double seconds) {
    return !device || seconds >= least_seconds || 2 * rows > MOST_TILE_ROWS;
}
