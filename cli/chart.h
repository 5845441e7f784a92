/* chart.h - what bench has measured, drawn as SVG. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "args.h"

#include <stdio.h>

/* The speed of a partitioning on a shape: a ratio if there is a reference, else GFLOP/s. */
struct point {
    char name[320]; /* of the partitioning */
    sct_stay stay;
    double value, low, high;
};

/* points: for each shape of --shapes, all partitionings, in the same order. */
struct chart {
    const struct args *args;
    const struct point *points;
    int64_t partitionings;
};

/* Dots in order for one shape, lines by size for several. False if there is no memory. */
bool chart_draw(const struct chart *chart, FILE *out);

/* For the two kinds of charts. */
enum { CHART_FONT = 12 };
const char *chart_quantity(const struct chart *chart);
void chart_heading(const struct chart *chart, FILE *out);
/* How wide the longest name of a partitioning is. */
double chart_names(const struct chart *chart);
void chart_shape(const struct chart *chart, int shape, char *text, size_t bytes);

/* The partitionings from the best to the worst on all shapes; freed by the caller. */
int64_t *chart_order(const struct chart *chart);

void chart_dots(const struct chart *chart, const int64_t *order, FILE *out);
void chart_lines(const struct chart *chart, const int64_t *order, FILE *out);

#endif
