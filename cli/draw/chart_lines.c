/* chart_lines.c - the chart for several shapes: a line for each partitioning, over shapes of
 * increasing size.
 *
 * The shape axis is logarithmic in size, or evenly spaced if two shapes have the same size. */
#include "draw/chart.h"
#include "pictures/chart_axis.h"
#include "pictures/svg.h"

#include <inttypes.h>
#include <math.h>

enum { TOP = 60, BOTTOM = 400, LEFT = 80, RIGHT = 620, LEGEND = 640, ROW = 20, SHAPE_ROW = 16 };
/* Pixels: the legend's line sample, and the minimum width for names. */
enum { SAMPLE = 26, LEAST_NAMES = 220 };
/* Pixels: from the outermost shapes to the ends of the axis, and between two names. */
enum { INSET = 50, GAP = 8 };

struct lines {
    const struct chart *chart;
    int shape[LIST_ITEMS]; /* indices of the shapes, in order of size */
    double x[LIST_ITEMS];  /* their positions */
    int row[LIST_ITEMS];   /* the text row of each name, so that names do not overlap */
    int rows;              /* number of text rows */
    bool by_size;          /* the shape axis is logarithmic in size */
    struct chart_axis axis;
};

static double size_of(const struct chart *chart, int shape) {
    const struct shape *value = &chart->args->shapes.item[shape].shape;
    return (double)value->m * (double)value->n * (double)value->k;
}

static void sort_shapes(struct lines *lines) {
    int count = lines->chart->args->shapes.count;
    for (int shape = 0; shape < count; shape++) {
        int at = shape;
        for (; at > 0 && size_of(lines->chart, lines->shape[at - 1]) > size_of(lines->chart, shape);
             at--)
            lines->shape[at] = lines->shape[at - 1];
        lines->shape[at] = shape;
    }
}

static const struct point *point_at(const struct lines *lines, int64_t partitioning, int place) {
    const struct chart *chart = lines->chart;
    return &chart->points[lines->shape[place] * chart->partitionings + partitioning];
}

static struct chart_axis scale_of(const struct chart *chart) {
    double low = chart_has_limit(chart) ? 1 : 0, high = low;
    for (int64_t i = 0; i < chart->partitionings * chart->args->shapes.count; i++) {
        low = fmin(low, chart->points[i].value);
        high = fmax(high, chart->points[i].value);
    }
    struct chart_axis axis = chart_axis_over(low, high, 6);
    axis.from = BOTTOM;
    axis.to = TOP;
    return axis;
}

/* True if all sizes differ and are positive, so that a logarithmic axis can show them. */
static bool are_distinct(const struct lines *lines) {
    int count = lines->chart->args->shapes.count;
    bool distinct = size_of(lines->chart, lines->shape[0]) > 0;
    for (int i = 1; i < count; i++)
        distinct = distinct && size_of(lines->chart, lines->shape[i - 1]) <
                                   size_of(lines->chart, lines->shape[i]);
    return distinct;
}

static void place_shapes(struct lines *lines) {
    int last = lines->chart->args->shapes.count - 1;
    double from = size_of(lines->chart, lines->shape[0]);
    double to = size_of(lines->chart, lines->shape[last]);
    lines->by_size = are_distinct(lines);
    for (int i = 0; i <= last; i++) {
        double size = size_of(lines->chart, lines->shape[i]);
        double share = lines->by_size ? log(size / from) / log(to / from) : (double)i / last;
        lines->x[i] = LEFT + INSET + share * (RIGHT - LEFT - 2 * INSET);
    }
}

/* Puts each name into the first text row that has room for it. */
static void place_names(struct lines *lines) {
    double taken[LIST_ITEMS] = {0}; /* end of the text in each row */
    char text[SHAPE_TEXT];
    for (int i = 0; i < lines->chart->args->shapes.count; i++) {
        args_shape_text(&lines->chart->args->shapes.item[lines->shape[i]].shape, text);
        double half = (svg_width(text, CHART_FONT) + GAP) / 2;
        int row = 0;
        while (taken[row] > lines->x[i] - half)
            row++;
        taken[row] = lines->x[i] + half;
        lines->row[i] = row;
        lines->rows = row >= lines->rows ? row + 1 : lines->rows;
    }
}

static void draw_axes(const struct lines *lines, FILE *out) {
    const struct chart_axis *axis = &lines->axis;
    char text[SHAPE_TEXT];
    for (int i = 0; i < chart_axis_marks(axis); i++) {
        double value = chart_axis_mark(axis, i), y = chart_axis_at(axis, value);
        snprintf(text, sizeof text, "%.4g", value);
        svg_grid(out, LEFT, y, RIGHT, y);
        svg_text(out, LEFT - 8, y + 4, SVG_END, text);
    }
    if (chart_has_limit(lines->chart))
        svg_limit(out, LEFT, chart_axis_at(axis, 1), RIGHT, chart_axis_at(axis, 1));
    for (int i = 0; i < lines->chart->args->shapes.count; i++) {
        args_shape_text(&lines->chart->args->shapes.item[lines->shape[i]].shape, text);
        svg_grid(out, lines->x[i], TOP, lines->x[i], BOTTOM + 4);
        svg_text(out, lines->x[i], BOTTOM + 18 + lines->row[i] * SHAPE_ROW, SVG_MIDDLE, text);
    }
    svg_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 28 + lines->rows * SHAPE_ROW, SVG_MIDDLE,
             lines->by_size ? "shape MxNxK, at M times N times K on a logarithmic axis"
                            : "shape MxNxK, in the order of M times N times K");
    svg_text_up(out, 24, (TOP + BOTTOM) / 2.0, chart_quantity(lines->chart));
}

static double height_at(const struct lines *lines, int64_t partitioning, int place) {
    return chart_axis_at(&lines->axis, point_at(lines, partitioning, place)->value);
}

static void draw_line(const struct lines *lines, int64_t partitioning, int colour, FILE *out) {
    double before = NAN;
    for (int i = 0; i < lines->chart->args->shapes.count; i++) {
        double x = lines->x[i], y = height_at(lines, partitioning, i);
        if (!isnan(before) && !isnan(y))
            svg_line(out, lines->x[i - 1], before, x, y, colour);
        if (!isnan(y))
            svg_dot(out, x, y, colour);
        before = y;
    }
}

/* The colour for a place in the order: the best and the worst have colours, those between are grey.
 */
static int colour_of(const struct lines *lines, int64_t place) {
    int64_t from_end = lines->chart->partitionings - 1 - place;
    if (lines->chart->partitionings <= SVG_COLOURS || place < SVG_COLOURS / 2)
        return (int)place;
    return from_end < SVG_COLOURS / 2 ? SVG_COLOURS - 1 - (int)from_end : SVG_GREY;
}

static void draw_name(int row, int colour, const char *name, FILE *out) {
    double y = TOP + ROW * (double)row;
    svg_line(out, LEGEND, y, LEGEND + 20, y, colour);
    svg_text(out, LEGEND + SAMPLE, y + 4, SVG_START, name);
}

static void draw_legend(const struct lines *lines, const int64_t *order, FILE *out) {
    int64_t grey = lines->chart->partitionings - SVG_COLOURS;
    int row = 0;
    svg_text(out, LEGEND, TOP - 20, SVG_START, "A, B, C, from the best to the worst");
    for (int64_t i = 0; i < lines->chart->partitionings; i++) {
        int colour = colour_of(lines, i);
        char text[40];
        snprintf(text, sizeof text, "%" PRId64 " in between", grey);
        if (colour != SVG_GREY)
            draw_name(row++, colour, point_at(lines, order[i], 0)->name, out);
        else if (i == SVG_COLOURS / 2)
            draw_name(row++, colour, text, out);
    }
    if (chart_has_limit(lines->chart)) {
        double y = TOP + ROW * (double)row;
        svg_limit(out, LEGEND, y, LEGEND + 20, y);
        svg_text(out, LEGEND + SAMPLE, y + 4, SVG_START, "one BLAS call");
    }
}

void chart_lines(const struct chart *chart, const int64_t *order, FILE *out) {
    struct lines lines = {.chart = chart, .axis = scale_of(chart)};
    sort_shapes(&lines);
    place_shapes(&lines);
    place_names(&lines);
    chart_begin(chart, LEGEND + SAMPLE + (int)fmax(LEAST_NAMES, chart_names(chart)),
                BOTTOM + 48 + lines.rows * SHAPE_ROW, out);
    draw_axes(&lines, out);
    /* Grey lines are drawn first, below the coloured ones. */
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < chart->partitionings; i++)
            if ((colour_of(&lines, i) != SVG_GREY) == (pass == 1))
                draw_line(&lines, order[i], colour_of(&lines, i), out);
    draw_legend(&lines, order, out);
    svg_end(out);
}
