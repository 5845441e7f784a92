/* chart_axis.c - a value axis with round steps. */
#include "pictures/chart_axis.h"

#include <math.h>

/* The smallest 1, 2 or 5 times a power of 10 that is at least `width`. */
static double round_step(double width) {
    double unit = pow(10, floor(log10(width)));
    double factor = width / unit;
    return unit * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

struct chart_axis chart_axis_over(double low, double high, int steps) {
    double width = high - low;
    if (width <= 0)
        width = high > 0 ? high : 1;
    double step = round_step(width / steps);
    struct chart_axis axis = {.low = floor(low / step) * step, .high = ceil(high / step) * step};
    axis.step = step;
    if (axis.high <= axis.low)
        axis.high = axis.low + step;
    return axis;
}

double chart_axis_at(const struct chart_axis *axis, double value) {
    double share = (value - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

int chart_axis_marks(const struct chart_axis *axis) {
    return (int)((axis->high - axis->low) / axis->step + 1.5);
}

double chart_axis_mark(const struct chart_axis *axis, int index) {
    return axis->low + index * axis->step;
}
