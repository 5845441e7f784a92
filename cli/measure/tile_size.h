/* tile_size.h - how large a tile must be for its copy to be timed well. */
#ifndef CLI_MEASURE_TILE_SIZE_H
#define CLI_MEASURE_TILE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum { LEAST_TILE_ROWS = 512, MOST_TILE_ROWS = 32 * LEAST_TILE_ROWS };

/* Whether a tile of so many rows, which is copied in this time, is large enough. On a fast device,
 * a small copy tells mostly how long it takes to start it. */
bool tile_is_enough(int64_t rows, bool device, double seconds);

#endif
