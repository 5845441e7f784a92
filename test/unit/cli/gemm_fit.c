/* gemm_fit.c - the size at which products reach half their peak speed, fitted to measured times. */
#include "measure/fit.h"

#include "support/check.h"

#include <math.h>

enum { POINTS = 7 };

/* Points on a line, each with a relative error of at most `noise`. */
static double fitted(double half, double scale, double noise, uint64_t *seed) {
    struct gemm_fit_point points[POINTS];
    for (int i = 0; i < POINTS; i++) {
        double off = (double)check_between(seed, -1000, 1000) / 1000;
        points[i].size = 16 << i;
        points[i].slowness = scale * (1 + half / points[i].size) * (1 + noise * off);
    }
    return gemm_fit_half(points, POINTS);
}

int main(void) {
    uint64_t seed = check_seed(21);
    for (int half = 1; half < 1000; half *= 3) {
        CHECK(fabs(fitted(half, 1, 0, &seed) - half) < 1e-9 * half);
        CHECK(fabs(fitted(half, 1e-11, 0, &seed) - half) < 1e-6 * half);
        CHECK(fabs(fitted(half, 1, 0.01, &seed) - half) < 0.03 * half + 0.3);
    }
    CHECK(fitted(0, 1, 0, &seed) < 1e-9);
    CHECK(fitted(-4, 1, 0, &seed) == 0);
    return check_report("gemm_fit");
}
