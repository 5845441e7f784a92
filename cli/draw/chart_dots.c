/* chart_dots.c - one shape: a dot for each partitioning, from best to worst. */
#include "draw/chart.h"
#include "draw/chart_axis.h"
#include "draw/svg.h"

#include <math.h>

enum { ROW = 18, TOP = 76, BOTTOM = 50, LEAST_LEFT = 120, PLOT = 600, RIGHT = 30 };

static const char *const stay_names[] = {"auto", "stationary A", "stationary B", "stationary C"};

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

void chart_dots(const struct chart *chart, const int64_t *order, FILE *out) {
    struct chart_axis axis = scale_of(chart);
    int bottom = TOP + ROW * (int)chart->partitionings;
    chart_begin(chart, (int)axis.to + RIGHT, bottom + BOTTOM, out);
    draw_legend(chart, axis.from, out);
    draw_axis(chart, &axis, bottom, out);
    for (int64_t i = 0; i < chart->partitionings; i++)
        draw_point(&chart->points[order[i]], &axis, TOP + ROW * (double)i, out);
    svg_end(out);
}
