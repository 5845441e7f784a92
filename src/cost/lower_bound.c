/* lower_bound.c - lower bounds of the bytes that the busiest rank moves.
 *
 * Independent of memory: Al Daas, Ballard, Grigori, Kumar, Rouse, Tight memory-independent parallel
 * matrix multiplication communication lower bounds (SPAA 2022), theorem 3.
 *
 * With M elements of memory: Smith, Lowery, Langou, van de Geijn, A tight I/O lower bound for
 * matrix multiplication (2019, arXiv 1702.02017): one processor reads at least 2 m n k / sqrt(M) -
 * 2 M elements. Some rank makes m n k / P of the products, and receives what that processor reads,
 * except partial sums that start at zero: these it sends later or, at most M of them, keeps. */
#include "base/status.h"
#include "base/type.h"

#include <sectile/sectile_choose.h>

#include <math.h>

static void swap_if_less(double *x, double *y) {
    double greater = fmax(*x, *y), less = fmin(*x, *y);
    *x = greater;
    *y = less;
}

/* In elements, for dimensions in descending order. */
static double independent(const double d[3], double ranks, sct_regime *regime) {
    double own = (d[0] * d[1] + d[0] * d[2] + d[1] * d[2]) / ranks, used;
    if (ranks <= d[0] / d[1]) {
        *regime = SCT_REGIME_1D;
        used = d[1] * d[2] + (d[0] * d[1] + d[0] * d[2]) / ranks;
    } else if (ranks <= d[0] / d[2] * (d[1] / d[2])) {
        *regime = SCT_REGIME_2D;
        used = 2 * sqrt(d[0] * d[1] / ranks) * d[2] + d[0] * d[1] / ranks;
    } else {
        *regime = SCT_REGIME_3D;
        double side = cbrt(d[0] * d[1] * d[2] / ranks);
        used = 3 * side * side;
    }
    return used - own;
}

static double dependent(const double d[3], double ranks, double memory) {
    return 2 * d[0] * d[1] * d[2] / (ranks * sqrt(memory)) - 3 * memory;
}

static sct_status check(sct_type type, int64_t m, int64_t n, int64_t k, int ranks) {
    sct_status status = sct_check_type(type);
    if (status)
        return status;
    if (m < 0 || n < 0 || k < 0)
        return sct_fail(SCT_BAD_ARGUMENT, "shape %lldx%lldx%lld: a size is negative", (long long)m,
                        (long long)n, (long long)k);
    if (ranks < 1)
        return sct_fail(SCT_BAD_ARGUMENT, "ranks: %d is not at least 1", ranks);
    return SCT_OK;
}

sct_status sct_lower_bound_find(sct_type type, int64_t m, int64_t n, int64_t k, int ranks,
                                uint64_t memory, sct_lower_bound *bound) {
    sct_status status = check(type, m, n, k, ranks);
    if (!status)
        status = sct_check_output("bound", bound);
    if (status)
        return status;
    double d[] = {(double)m, (double)n, (double)k}, bytes = (double)sct_type_bytes(type);
    swap_if_less(&d[0], &d[1]);
    swap_if_less(&d[1], &d[2]);
    swap_if_less(&d[0], &d[1]);
    *bound = (sct_lower_bound){.regime = SCT_REGIME_1D};
    if (d[2] == 0)
        return SCT_OK;
    /* For one rank the terms cancel, except for rounding. */
    bound->bytes = ranks == 1 ? 0 : fmax(0, independent(d, ranks, &bound->regime)) * bytes;
    double limited = memory ? dependent(d, ranks, (double)memory / bytes) * bytes : 0;
    if (ranks > 1 && limited > bound->bytes)
        *bound = (sct_lower_bound){.bytes = limited, .regime = SCT_REGIME_MEMORY};
    return SCT_OK;
}
