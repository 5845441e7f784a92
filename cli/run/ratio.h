/* ratio.h - a median, and how sure it is. */
#ifndef CLI_RUN_RATIO_H
#define CLI_RUN_RATIO_H

/* With a probability of about 95 % the true median lies from low to high; with fewer than six
 * numbers, for which that cannot be, these are the least and the greatest. */
struct ratio {
    double median, low, high;
};

/* Sorts the numbers, of which there is at least one. */
struct ratio ratio_of(double *numbers, int count);

#endif
