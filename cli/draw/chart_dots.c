/* chart_dots.c - a dot for each partitioning of one shape, from the best to the worst. */
#include "draw/chart.h"
#include "draw/chart_axis.h"
#include "draw/svg.h"

#include <math.h>

enum { ROW = 18, TOP = 76, BOTTOM = 50, LEAST_LEFT = 120, PLOT = 600, RIGHT = 30 };

static const char *const stay_names[] = {"auto", "A stays", "B stays", "C stays"};

static struct scale scale_of(const struct chart *chart) {
    double low = chart_has_limit(chart) ? 1 : 0, high = low;
    for (int64_t i = 0; i < chart->partitionings; i++) {
        low = fmin(low, chart->points[i].low);
        high = fmax(high, chart->points[i].high);
    }
    struct scale scale = scale_over(low, high, 8);
    scale.from = fmax(LEAST_LEFT, chart_names(chart) + RIGHT);
    scale.to = scale.from + PLOT;
    return scale;
}

static void draw_axis(const struct chart *chart, const struct scale *scale, double bottom,
                      FILE *out) {
    for (int i = 0; i < scale_marks(scale); i++) {
        char text[40];
        double value = scale_mark(scale, i), x = scale_at(scale, value);
        snprintf(text, sizeof text, "%.4g", value);
        svg_grid(out, x, TOP - ROW / 2.0, x, bottom);
        svg_text(out, x, bottom + 16, SVG_MIDDLE, text);
    }
    if (chart_has_limit(chart))
        svg_limit(out, scale_at(scale, 1), TOP - ROW / 2.0, scale_at(scale, 1), bottom);
    svg_text(out, (scale->from + scale->to) / 2, bottom + 38, SVG_MIDDLE, chart_quantity(chart));
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

static void draw_point(const struct point *point, const struct scale *scale, double y, FILE *out) {
    int colour = point->stay - SCT_STAY_A;
    svg_text(out, scale->from - 10, y + 4, SVG_END, point->name);
    svg_grid(out, scale->from, y, scale->to, y);
    if (isnan(point->value)) {
        svg_text(out, scale->from + 10, y + 4, SVG_START, "failed");
        return;
    }
    svg_line(out, scale_at(scale, point->low), y, scale_at(scale, point->high), y, colour);
    svg_dot(out, scale_at(scale, point->value), y, colour);
}

void chart_dots(const struct chart *chart, const int64_t *order, FILE *out) {
    struct scale scale = scale_of(chart);
    int bottom = TOP + ROW * (int)chart->partitionings;
    chart_begin(chart, (int)scale.to + RIGHT, bottom + BOTTOM, out);
    draw_legend(chart, scale.from, out);
    draw_axis(chart, &scale, bottom, out);
    for (int64_t i = 0; i < chart->partitionings; i++)
        draw_point(&chart->points[order[i]], &scale, TOP + ROW * (double)i, out);
    svg_end(out);
}
