/* tile_size.h - how large a tile must be for its copy to be timed well. */
#ifndef CLI_MEASURE_TILE_SIZE_H
#define CLI_MEASURE_TILE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_TILE_ROWS = 512, MOST_TILE_ROWS = 32 * LEAST_TILE_ROWS };

/* Whether a copy of `rows` rows, which takes `seconds`, is long enough to be timed. On a fast
 * device, the time of a short copy is mostly that of starting it. */
bool tile_is_enough(int64_t rows, bool device, double seconds);

#endif
