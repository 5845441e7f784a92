/* fit.c - fits how the speed of a GEMM depends on one dimension, and how large a tile must be for
 * its copy to be timed well. */
#include "measure/fit.h"

double gemm_fit_half(const struct gemm_fit_point *points, int count) {
    double sum = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (int i = 0; i < count; i++) {
        double x = 1 / points[i].size, y = points[i].slowness;
        double weight = 1 / (y * y);
        sum += weight;
        sum_x += weight * x;
        sum_y += weight * y;
        sum_xx += weight * x * x;
        sum_xy += weight * x * y;
    }
    /* Both are scaled by the same determinant, which is positive where sizes differ. */
    double slope = sum * sum_xy - sum_x * sum_y;
    double intercept = sum_xx * sum_y - sum_x * sum_xy;
    return slope > 0 && intercept > 0 ? slope / intercept : 0;
}

static const double least_seconds = 5e-4;

bool tile_is_enough(int64_t rows, bool device, double seconds) {
    return !device || seconds >= least_seconds || 2 * rows > MOST_TILE_ROWS;
}
