/* chart_axis.h - a value axis with round steps. */
#ifndef PICTURES_CHART_AXIS_H
#define PICTURES_CHART_AXIS_H

struct chart_axis {
    double low, high, step; /* values at the ends, multiples of step */
    double from, to;        /* their positions in the picture */
};

/* An axis of about `steps` steps that covers low to high. */
struct chart_axis chart_axis_over(double low, double high, int steps);
/* The position of a value in the picture. */
double chart_axis_at(const struct chart_axis *axis, double value);
/* The number of tick marks, one per step, and the value of one of them. */
int chart_axis_marks(const struct chart_axis *axis);
double chart_axis_mark(const struct chart_axis *axis, int index);

#endif
