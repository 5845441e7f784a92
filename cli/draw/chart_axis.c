/* chart_axis.c - an axis of a chart: a range of values in round steps. */
#include "draw/chart_axis.h"

#include <math.h>

/* 1, 2 or 5 times a power of 10, not below the width. */
static double round_step(double width) {
    double unit = pow(10, floor(log10(width)));
    double factor = width / unit;
    return unit * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

struct scale scale_over(double low, double high, int steps) {
    double width = high - low;
    if (width <= 0)
        width = high > 0 ? high : 1;
    double step = round_step(width / steps);
    struct scale scale = {.low = floor(low / step) * step, .high = ceil(high / step) * step};
    scale.step = step;
    if (scale.high <= scale.low)
        scale.high = scale.low + step;
    return scale;
}

double scale_at(const struct scale *scale, double value) {
    double share = (value - scale->low) / (scale->high - scale->low);
    return scale->from + share * (scale->to - scale->from);
}

int scale_marks(const struct scale *scale) {
    return (int)((scale->high - scale->low) / scale->step + 1.5);
}

double scale_mark(const struct scale *scale, int index) {
    return scale->low + index * scale->step;
}
