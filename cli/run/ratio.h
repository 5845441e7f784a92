/* ratio.h - a median with its confidence interval. */
#ifndef CLI_RUN_RATIO_H
#define CLI_RUN_RATIO_H

/* The true median lies from low to high with a probability of about 95 %. With fewer than six
 * values, low and high are minimum and maximum. */
struct ratio {
    double median, low, high;
};

/* Sorts the numbers; there must be at least one. */
struct ratio ratio_of(double *numbers, int count);

#endif
