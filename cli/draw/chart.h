/* chart.h - charts of the results of bench, as SVG. */
#ifndef CLI_DRAW_CHART_H
#define CLI_DRAW_CHART_H

#include "args/args.h"

#include <stdio.h>

/* The measure of speed on the value axis. */
enum quantity { QUANTITY_GFLOPS, QUANTITY_RATIO, QUANTITY_PERCENT };

/* The speed of one partitioning on one shape, with its confidence interval if there is one. */
struct point {
    char name[320];
    sct_stay stay;
    double value, low, high; /* NaN: the run failed; nothing is drawn */
};

/* A partitioning is a combination of layouts, replication and stationary matrix. */
struct chart {
    const struct args *args;
    enum quantity quantity;
    const char *peak;           /* the machine and its peak, for the heading, or "" */
    const struct point *points; /* for each shape of --shapes, one per partitioning */
    int64_t partitionings;
};

/* Draws dots for one shape, lines by size for several. False: out of memory. */
bool chart_draw(const struct chart *chart, FILE *out);

/* The rest is what the charts for one shape and for several share. */
enum { CHART_FONT = 12 };
/* The title of the value axis. */
const char *chart_quantity(const struct chart *chart);
/* True if the value 1 is the speed of one BLAS call. */
bool chart_has_limit(const struct chart *chart);
/* Begins a picture of at least this width, with its heading. */
void chart_begin(const struct chart *chart, int width, int height, FILE *out);
/* The width of the longest name of a partitioning. */
double chart_names(const struct chart *chart);

/* Several shapes: a line for each partitioning. `order` has the partitionings from best to worst.
 */
void chart_lines(const struct chart *chart, const int64_t *order, FILE *out);

#endif
