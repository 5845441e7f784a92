/* fit.h - what follows from measured times: how the speed of a GEMM depends on one dimension, and
 * how large a tile must be for its copy to be timed well. */
#ifndef CLI_MEASURE_FIT_H
#define CLI_MEASURE_FIT_H

#include <stdbool.h>
#include <stdint.h>

/* A GEMM with this size in the dimension, and its time per operation relative to a large GEMM. */
struct gemm_fit_point {
    double size, slowness;
};

/* The size at which half of the asymptotic speed is reached: h in slowness = a (1 + h / size),
 * fitted by least squares of relative errors. 0 if the speed does not depend on size. */
double gemm_fit_half(const struct gemm_fit_point *points, int count);

enum { LEAST_TILE_ROWS = 512, MOST_TILE_ROWS = 32 * LEAST_TILE_ROWS };

/* Whether a copy of `rows` rows, which takes `seconds`, is long enough to be timed. On a fast
 * device, the latency dominates the time of a short copy. */
bool tile_is_enough(int64_t rows, bool device, double seconds);

#endif
