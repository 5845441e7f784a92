/* chart.h - what bench has measured, drawn as SVG. */
#ifndef CLI_DRAW_CHART_H
#define CLI_DRAW_CHART_H

#include "args/args.h"

#include <stdio.h>

/* What is drawn of the speed. */
enum quantity { QUANTITY_GFLOPS, QUANTITY_RATIO, QUANTITY_PERCENT };

/* The speed of a partitioning on a shape. */
struct point {
    char name[320]; /* of the partitioning */
    sct_stay stay;
    double value, low, high; /* NaN: it has failed, and is left out */
};

/* points: for each shape of --shapes, all partitionings, in the same order. */
struct chart {
    const struct args *args;
    enum quantity quantity;
    const char *peak; /* whose peak it is, and how much, for the heading; "" */
    const struct point *points;
    int64_t partitionings;
};

/* Dots in order for one shape, lines by size for several. False if there is no memory. */
bool chart_draw(const struct chart *chart, FILE *out);

/* For the two kinds of charts. */
enum { CHART_FONT = 12 };
const char *chart_quantity(const struct chart *chart);
/* Whether 1 is the speed of one call of the BLAS. */
bool chart_has_limit(const struct chart *chart);
/* Begins the picture, at least so wide, with its heading. */
void chart_begin(const struct chart *chart, int width, int height, FILE *out);
/* How wide the longest name of a partitioning is. */
double chart_names(const struct chart *chart);
void chart_shape(const struct chart *chart, int shape, char *text, size_t bytes);

/* The partitionings from the best to the worst on all shapes; freed by the caller. */
int64_t *chart_order(const struct chart *chart);

void chart_dots(const struct chart *chart, const int64_t *order, FILE *out);
void chart_lines(const struct chart *chart, const int64_t *order, FILE *out);

#endif
