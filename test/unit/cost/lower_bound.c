/* lower_bound.c - lower bounds of the bytes moved: worked out by hand in each regime, and
 * continuous at the borders. */
#include "support/check.h"

#include <sectile/sectile.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool near_to(double x, double y) {
    return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
}

/* The bound in elements of 8 bytes, for all permutations of the dimensions. */
static void check_bound(int64_t x, int64_t y, int64_t z, int ranks, int64_t memory, double elements,
                        sct_regime regime) {
    const int64_t shape[6][3] = {{x, y, z}, {x, z, y}, {y, x, z}, {y, z, x}, {z, x, y}, {z, y, x}};
    for (int i = 0; i < 6; i++) {
        sct_lower_bound bound;
        CHECK(sct_lower_bound_find(SCT_F64, shape[i][0], shape[i][1], shape[i][2], ranks,
                                   8 * (uint64_t)memory, &bound) == SCT_OK);
        CHECK_CASE(near_to(bound.bytes, 8 * elements) && bound.regime == regime,
                   "%dx%dx%d on %d ranks: %.17g, regime %d", (int)shape[i][0], (int)shape[i][1],
                   (int)shape[i][2], ranks, bound.bytes / 8, (int)bound.regime);
    }
}

/* At the borders, with the formulas of both sides worked out by hand: 87.5 - 43.75 and so on. */
static void test_regimes(void) {
    check_bound(1000, 10, 10, 8, 0, 87.5, SCT_REGIME_1D);
    check_bound(100, 100, 1, 4, 0, 50, SCT_REGIME_2D);
    check_bound(64, 64, 64, 8, 0, 1536, SCT_REGIME_3D);
    check_bound(80, 10, 5, 8, 0, 2 * sqrt(80 * 10 * 25 / 8) - 450.0 / 8, SCT_REGIME_1D);
    check_bound(32, 8, 4, 16, 0, 3 * 16 - 26, SCT_REGIME_2D);
    check_bound(64, 64, 64, 8, 256, 4096 - 768, SCT_REGIME_MEMORY);
    check_bound(64, 64, 64, 8, 100000, 1536, SCT_REGIME_3D);
    check_bound(64, 64, 64, 1, 0, 0, SCT_REGIME_1D);
    check_bound(64, 0, 64, 8, 0, 0, SCT_REGIME_1D);
}

/* More ranks never have to move more each, and there is no jump at a border. */
static void test_borders(void) {
    double before = 1e10;
    for (int ranks = 2; ranks < 5000; ranks++) {
        sct_lower_bound bound;
        CHECK(sct_lower_bound_find(SCT_F32, 300000, 20000, 1500, ranks, 0, &bound) == SCT_OK);
        double d[] = {300000, 20000, 1500};
        double used = bound.bytes / 4 + (d[0] * d[1] + d[0] * d[2] + d[1] * d[2]) / ranks;
        CHECK_CASE(used <= before && used > 0.3 * before, "%d ranks use %g after %g", ranks, used,
                   before);
        before = used;
    }
}

static void test_errors(void) {
    sct_lower_bound bound;
    CHECK(sct_lower_bound_find(SCT_F64, -1, 1, 1, 1, 0, &bound) == SCT_BAD_ARGUMENT);
    CHECK(strcmp(sct_last_reason(), "shape -1x1x1: a size is negative") == 0);
    CHECK(sct_lower_bound_find(SCT_F64, 1, 1, 1, 0, 0, &bound) == SCT_BAD_ARGUMENT);
    CHECK(sct_lower_bound_find((sct_type)99, 1, 1, 1, 1, 0, &bound) == SCT_BAD_ARGUMENT);
    CHECK(sct_lower_bound_find(SCT_F64, 1, 1, 1, 1, 0, NULL) == SCT_BAD_ARGUMENT);
}

int main(void) {
    test_regimes();
    test_borders();
    test_errors();
    return check_report("bound");
}
