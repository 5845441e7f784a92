/* chart_axis.h - an axis of a chart: a range of values in round steps. */
#ifndef CLI_DRAW_CHART_AXIS_H
#define CLI_DRAW_CHART_AXIS_H

struct scale {
    double low, high, step; /* of values; low and high are whole steps */
    double from, to;        /* where these are drawn */
};

/* Of about so many steps, around all values from low to high. */
struct scale scale_over(double low, double high, int steps);
/* Where a value is drawn. */
double scale_at(const struct scale *scale, double value);
/* How many marks there are, one to a step, and the value of one of them. */
int scale_marks(const struct scale *scale);
double scale_mark(const struct scale *scale, int index);

#endif
