/* gemm_fit.h - fits how the speed of a GEMM depends on one dimension. */
#ifndef CLI_MEASURE_GEMM_FIT_H
#define CLI_MEASURE_GEMM_FIT_H

/* A GEMM with this size in the dimension, and its time per operation relative to a large GEMM. */
struct gemm_fit_point {
    double size, slowness;
};

/* The size at which half of the asymptotic speed is reached: h in slowness = a (1 + h / size),
 * fitted by least squares of relative errors. 0 if the speed does not depend on size. */
double gemm_fit_half(const struct gemm_fit_point *points, int count);

#endif
