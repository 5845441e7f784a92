/* ratio.c - a median with its confidence interval. */
#include "run/ratio.h"

#include <math.h>
#include <stdlib.h>

static const double doubt_on_each_side = 0.025;

static int ascending(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* The number of values to drop at each end. Each value is below the true median with probability
 * 1/2, so the count of those below is binomial. */
static int trimmed(int count) {
    double term = ldexp(1, -count), sum = term;
    int place = 0;
    while (place < count / 2) {
        term = term * (count - place) / (place + 1);
        if (sum + term > doubt_on_each_side)
            break;
        sum += term;
        place++;
    }
    return place;
}

struct ratio ratio_of(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, ascending);
    int ends = trimmed(count);
    return (struct ratio){(numbers[(count - 1) / 2] + numbers[count / 2]) / 2, numbers[ends],
                          numbers[count - 1 - ends]};
}
