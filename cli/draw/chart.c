/* chart.c - draws the results of bench as SVG: what all charts share, and the chart for one shape.
 */
#include "draw/chart.h"

#include "pictures/chart_axis.h"
#include "pictures/svg.h"
#include "ranks/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The heading is bold at size 15, which is as wide as plain text at size 18. */
enum { MARGIN = 20, HEADING_FONT = 18, HEADING_Y = 26 };
/* Pixels, in the chart for one shape. */
enum { ROW = 18, TOP = 76, BOTTOM = 50, LEAST_LEFT = 120, PLOT = 600, RIGHT = 30 };

static const char *const stay_names[] = {"auto", "stationary A", "stationary B", "stationary C"};

const char *chart_quantity(const struct chart *chart) {
    static const char *const names[] = {"GFLOP/s",
                                        "ratio: time of one BLAS call / time of the product",
                                        "% of the peak of all ranks"};
    return names[chart->quantity];
}

bool chart_has_limit(const struct chart *chart) {
    return chart->quantity == QUANTITY_RATIO;
}

void chart_begin(const struct chart *chart, int width, int height, FILE *out) {
    char text[320], shape[SHAPE_TEXT] = "";
    if (chart->args->shapes.count == 1)
        args_shape_text(&chart->args->shapes.item[0].shape, shape);
    snprintf(text, sizeof text, "%s%s%s on %" PRId64 " rank%s%s%s", shape, shape[0] ? " " : "",
             sct_type_name((sct_type)chart->args->type), chart->args->ranks,
             chart->args->ranks == 1 ? "" : "s", chart->peak,
             chart->args->ranks > system_cores() ? ", oversubscribed" : "");
    svg_begin(out, (int)fmax(width, 2 * MARGIN + svg_width(text, HEADING_FONT)), height);
    svg_heading(out, MARGIN, HEADING_Y, text);
}

double chart_names(const struct chart *chart) {
    double width = 0;
    for (int64_t i = 0; i < chart->partitionings; i++)
        width = fmax(width, svg_width(chart->points[i].name, CHART_FONT));
    return width;
}

struct mean {
    int64_t partitioning;
    double value;
};

static int descending(const void *x, const void *y) {
    const struct mean *a = x, *b = y;
    return (a->value < b->value) - (a->value > b->value);
}

/* The mean over the shapes on which the partitioning did not fail. */
static double mean_of(const struct chart *chart, int64_t partitioning) {
    double sum = 0;
    int count = 0;
    for (int shape = 0; shape < chart->args->shapes.count; shape++) {
        double value = chart->points[shape * chart->partitionings + partitioning].value;
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : -INFINITY;
}

/* The partitionings from best to worst over all shapes. The caller frees the list. NULL: out of
 * memory. */
static int64_t *order_of(const struct chart *chart) {
    struct mean *means = calloc((size_t)chart->partitionings, sizeof *means);
    int64_t *order = means ? calloc((size_t)chart->partitionings, sizeof *order) : NULL;
    for (int64_t i = 0; order && i < chart->partitionings; i++)
        means[i] = (struct mean){i, mean_of(chart, i)};
    if (order)
        qsort(means, (size_t)chart->partitionings, sizeof *means, descending);
    for (int64_t i = 0; order && i < chart->partitionings; i++)
        order[i] = means[i].partitioning;
    free(means);
    return order;
}

static struct chart_axis scale_of(const struct chart *chart) {
    double low = chart_has_limit(chart) ? 1 : 0, high = low;
    for (int64_t i = 0; i < chart->partitionings; i++) {
        low = fmin(low, chart->points[i].low);
        high = fmax(high, chart->points[i].high);
    }
    struct chart_axis axis = chart_axis_over(low, high, 8);
    axis.from = fmax(LEAST_LEFT, chart_names(chart) + RIGHT);
    axis.to = axis.from + PLOT;
    return axis;
}

static void draw_axis(const struct chart *chart, const struct chart_axis *axis, double bottom,
                      FILE *out) {
    for (int i = 0; i < chart_axis_marks(axis); i++) {
        char text[40];
        double value = chart_axis_mark(axis, i), x = chart_axis_at(axis, value);
        snprintf(text, sizeof text, "%.4g", value);
        svg_grid(out, x, TOP - ROW / 2.0, x, bottom);
        svg_text(out, x, bottom + 16, SVG_MIDDLE, text);
    }
    if (chart_has_limit(chart))
        svg_limit(out, chart_axis_at(axis, 1), TOP - ROW / 2.0, chart_axis_at(axis, 1), bottom);
    svg_text(out, (axis->from + axis->to) / 2, bottom + 38, SVG_MIDDLE, chart_quantity(chart));
}

static void draw_legend(const struct chart *chart, double left, FILE *out) {
    for (int stay = SCT_STAY_A; stay <= SCT_STAY_C; stay++) {
        double x = left + 90 * (stay - SCT_STAY_A);
        svg_dot(out, x, 46, stay - SCT_STAY_A);
        svg_text(out, x + 10, 50, SVG_START, stay_names[stay]);
    }
    if (chart_has_limit(chart)) {
        svg_limit(out, left + 270, 46, left + 300, 46);
        svg_text(out, left + 306, 50, SVG_START, "one BLAS call");
    }
    svg_text(out, left - 20, 50, SVG_END, "A, B, C");
}

static void draw_point(const struct point *point, const struct chart_axis *axis, double y,
                       FILE *out) {
    int colour = point->stay - SCT_STAY_A;
    svg_text(out, axis->from - 10, y + 4, SVG_END, point->name);
    svg_grid(out, axis->from, y, axis->to, y);
    if (isnan(point->value)) {
        svg_text(out, axis->from + 10, y + 4, SVG_START, "failed");
        return;
    }
    svg_line(out, chart_axis_at(axis, point->low), y, chart_axis_at(axis, point->high), y, colour);
    svg_dot(out, chart_axis_at(axis, point->value), y, colour);
}

/* One shape: a dot for each partitioning, from best to worst. */
static void draw_dots(const struct chart *chart, const int64_t *order, FILE *out) {
    struct chart_axis axis = scale_of(chart);
    int bottom = TOP + ROW * (int)chart->partitionings;
    chart_begin(chart, (int)axis.to + RIGHT, bottom + BOTTOM, out);
    draw_legend(chart, axis.from, out);
    draw_axis(chart, &axis, bottom, out);
    for (int64_t i = 0; i < chart->partitionings; i++)
        draw_point(&chart->points[order[i]], &axis, TOP + ROW * (double)i, out);
    svg_end(out);
}

bool chart_draw(const struct chart *chart, FILE *out) {
    int64_t *order = order_of(chart);
    if (!order) {
        report_error("no memory for the chart");
        return false;
    }
    if (chart->args->shapes.count == 1)
        draw_dots(chart, order, out);
    else
        chart_lines(chart, order, out);
    free(order);
    return true;
}
