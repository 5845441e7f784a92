/* gemm_fit.h - how the speed of products depends on one of their dimensions. */
#ifndef CLI_MEASURE_GEMM_FIT_H
#define CLI_MEASURE_GEMM_FIT_H

/* A product of so many indices in the dimension, and its time for each operation, as a multiple of
 * that of a large one. */
struct fit_point {
    double size, slowness;
};

/* The size at which half of the speed is reached that endless ones have: the h of the line
 * slowness = a (1 + h / size) that is nearest to the points, by relative errors; 0 if products do
 * not get faster with size. */
double fit_half(const struct fit_point *points, int count);

#endif
