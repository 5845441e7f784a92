/* group_drawing.c - draws the matrices of a group in rows, and below them layouts as points of a
 * chart of time against memory, with the Pareto front. */
#include "pictures/group_drawing.h"

#include "pictures/chart_axis.h"
#include "pictures/palette.h"
#include "pictures/svg.h"

#include <math.h>

/* Pixels of matrices, of which PER_ROW are beside each other: the longest side of each, and the
 * shortest that is drawn. Behind one that has replicas are the outlines of up to STACK. */
enum { MARGIN = 20, TOP = 44, SIDE = 120, LEAST = 8, GAP = 34, UNDER = 44, PER_ROW = 6 };
enum { STACK = 3, SHIFT = 4, FONT = 12, WIDTH = 2 * MARGIN + PER_ROW * SIDE + (PER_ROW - 1) * GAP };
/* No more tiles than this are drawn on a side. */
enum { TILES = 60 };
/* Pixels of the chart. */
enum { LEFT = 80, PLOT = 470, HEIGHT = 260, LEGEND = 590, LINE = 20, BOTTOM = 50 };
/* Points that take longer than so many times the least are not drawn. */
static const double most_times = 3;

/* ---- Matrices ---- */

struct placed {
    const sct_layout *layout;
    double x, y, width, height;
};

static struct placed place(const struct group_drawing *drawing, int matrix) {
    const sct_layout *layout = drawing->choice->layout[matrix];
    double rows = (double)sct_layout_rows(layout), cols = (double)sct_layout_cols(layout);
    return (struct placed){.layout = layout,
                           .x = MARGIN + matrix % PER_ROW * (SIDE + GAP),
                           .y = TOP + matrix / PER_ROW * (SIDE + UNDER),
                           .width = fmax(LEAST, SIDE * cols / fmax(rows, cols)),
                           .height = fmax(LEAST, SIDE * rows / fmax(rows, cols))};
}

/* Where a box that begins at an index ends: with the tile, but after enough indices to be seen. */
static int64_t end_of(int64_t index, int64_t tile, int64_t size) {
    int64_t least = index + (size + TILES - 1) / TILES;
    int64_t end = tile > least ? tile : least;
    return end < size ? end : size;
}

/* Draws the first rows of tiles from `row` on, and returns where they end. */
static int64_t draw_tiles(const struct placed *placed, int64_t row, FILE *out) {
    const sct_layout *layout = placed->layout;
    int64_t rows = sct_layout_rows(layout), cols = sct_layout_cols(layout), last = rows;
    for (int64_t col = 0, end; col < cols; col = end) {
        sct_slice tile = sct_layout_tile(layout, row, col);
        char colour[PALETTE_TEXT], attributes[80];
        end = end_of(col, tile.cols.hi, cols);
        last = end_of(row, tile.rows.hi, rows);
        palette_colour(sct_layout_owner(layout, 0, row, col), colour);
        snprintf(attributes, sizeof attributes,
                 "fill=\"%s\" stroke=\"#777\" stroke-width=\"0.5\" class=\"tile\"", colour);
        svg_box(out, placed->x + placed->width * (double)col / (double)cols,
                placed->y + placed->height * (double)row / (double)rows,
                placed->width * (double)(end - col) / (double)cols,
                placed->height * (double)(last - row) / (double)rows, attributes);
    }
    return last;
}

static void draw_matrix(const struct group_drawing *drawing, int matrix, FILE *out) {
    const struct placed placed = place(drawing, matrix);
    char layout[160];
    int others = sct_layout_replicas(placed.layout) - 1;
    for (int i = others < STACK ? others : STACK; i > 0; i--)
        svg_box(out, placed.x + i * SHIFT, placed.y + i * SHIFT, placed.width, placed.height,
                "fill=\"#fff\" stroke=\"#777\" class=\"replica\"");
    for (int64_t row = 0; row < sct_layout_rows(placed.layout);)
        row = draw_tiles(&placed, row, out);
    sct_layout_print(placed.layout, layout, sizeof layout);
    double y = placed.y + placed.height + FONT + (others > 0 ? STACK * SHIFT : 0);
    double size = svg_fit(layout, SIDE + GAP / 2.0, FONT + 2, FONT);
    svg_label(out, placed.x, y + 3, FONT, "font-weight=\"bold\" class=\"name\"",
              sct_products_matrix_at(drawing->products, matrix).name);
    if (size > 0)
        svg_label(out, placed.x, y + 3 + FONT + 2, size, "class=\"layout\"", layout);
}

/* ---- The chart ---- */

bool group_drawing_is_best(const struct group_drawing *drawing, int point) {
    const struct group_point *is = &drawing->point[point];
    bool best = true;
    for (int i = 0; i < drawing->points; i++) {
        const struct group_point *other = &drawing->point[i];
        bool same = other->seconds == is->seconds && other->memory == is->memory;
        best = best && (same || other->seconds > is->seconds || other->memory > is->memory);
    }
    return best;
}

struct axes {
    struct chart_axis across, up; /* GB, and ms */
    double limit;                 /* ms, which is all that is drawn */
};

static double ms(const struct group_point *point) {
    return 1e3 * point->seconds;
}

static double gigabytes(const struct group_point *point) {
    return (double)point->memory / 1e9;
}

static struct axes find_axes(const struct group_drawing *drawing, double top) {
    double least = INFINITY, longest = 0, most = 0;
    for (int i = 0; i < drawing->points; i++)
        least = fmin(least, ms(&drawing->point[i]));
    for (int i = 0; i < drawing->points; i++)
        if (ms(&drawing->point[i]) <= most_times * least) {
            longest = fmax(longest, ms(&drawing->point[i]));
            most = fmax(most, gigabytes(&drawing->point[i]));
        }
    struct axes axes = {chart_axis_over(0, most, 6), chart_axis_over(least, longest, 6), longest};
    axes.across.from = LEFT;
    axes.across.to = LEFT + PLOT;
    axes.up.from = top + HEIGHT;
    axes.up.to = top;
    return axes;
}

static void draw_axes(const struct axes *axes, FILE *out) {
    char text[40];
    for (int i = 0; i < chart_axis_marks(&axes->across); i++) {
        double value = chart_axis_mark(&axes->across, i), x = chart_axis_at(&axes->across, value);
        snprintf(text, sizeof text, "%.4g", value);
        svg_grid(out, x, axes->up.to, x, axes->up.from);
        svg_text(out, x, axes->up.from + 16, SVG_MIDDLE, text);
    }
    for (int i = 0; i < chart_axis_marks(&axes->up); i++) {
        double value = chart_axis_mark(&axes->up, i), y = chart_axis_at(&axes->up, value);
        snprintf(text, sizeof text, "%.4g", value);
        svg_grid(out, LEFT, y, LEFT + PLOT, y);
        svg_text(out, LEFT - 8, y + 4, SVG_END, text);
    }
    svg_text(out, LEFT + PLOT / 2.0, axes->up.from + 38, SVG_MIDDLE,
             "GB on the rank that needs most");
    svg_text_up(out, LEFT - 46, (axes->up.from + axes->up.to) / 2, "ms for all products");
}

/* The point of the front with the least memory above this; -1: there is none. */
static int next_best(const struct group_drawing *drawing, uint64_t memory) {
    int next = -1;
    for (int i = 0; i < drawing->points; i++) {
        const struct group_point *point = &drawing->point[i];
        if (point->memory > memory && group_drawing_is_best(drawing, i) &&
            (next < 0 || point->memory < drawing->point[next].memory))
            next = i;
    }
    return next;
}

/* Between its points the front is a stair: with less memory than the next needs, this is best. */
static void draw_front(const struct group_drawing *drawing, const struct axes *axes, FILE *out) {
    for (int i = next_best(drawing, 0), next; i >= 0; i = next) {
        next = next_best(drawing, drawing->point[i].memory);
        double x = chart_axis_at(&axes->across, gigabytes(&drawing->point[i]));
        double y = chart_axis_at(&axes->up, fmin(ms(&drawing->point[i]), axes->limit));
        double to =
            next < 0 ? LEFT + PLOT : chart_axis_at(&axes->across, gigabytes(&drawing->point[next]));
        svg_line(out, x, y, to, y, SVG_GREY);
        if (next >= 0)
            svg_line(out, to, y, to, chart_axis_at(&axes->up, ms(&drawing->point[next])), SVG_GREY);
    }
}

static void draw_points(const struct group_drawing *drawing, const struct axes *axes, FILE *out) {
    int named = 0;
    for (int i = 0; i < drawing->points; i++) {
        const struct group_point *point = &drawing->point[i];
        int colour = point->name ? named % SVG_COLOURS : SVG_GREY;
        bool drawn = ms(point) <= axes->limit;
        if (drawn)
            svg_dot(out, chart_axis_at(&axes->across, gigabytes(point)),
                    chart_axis_at(&axes->up, ms(point)), colour);
        if (!point->name)
            continue;
        char text[120];
        double y = axes->up.to + LINE * named++;
        snprintf(text, sizeof text, "%s: %.3g ms%s", point->name, ms(point),
                 drawn ? "" : ", not drawn");
        svg_dot(out, LEGEND, y, colour);
        svg_text(out, LEGEND + 12, y + 4, SVG_START, text);
    }
    svg_line(out, LEGEND - 6, axes->up.to + LINE * named, LEGEND + 6, axes->up.to + LINE * named,
             SVG_GREY);
    svg_text(out, LEGEND + 12, axes->up.to + LINE * named + 4, SVG_START,
             "the least time within a memory");
}

void group_drawing_draw(const struct group_drawing *drawing, FILE *out) {
    int lines = (drawing->choice->matrices + PER_ROW - 1) / PER_ROW;
    double top = TOP + lines * (SIDE + UNDER) + MARGIN;
    const struct axes axes = find_axes(drawing, top);
    svg_begin(out, WIDTH, (int)top + HEIGHT + BOTTOM);
    svg_heading(out, MARGIN, 26, drawing->heading);
    for (int i = 0; i < drawing->choice->matrices; i++)
        draw_matrix(drawing, i, out);
    draw_axes(&axes, out);
    draw_front(drawing, &axes, out);
    draw_points(drawing, &axes, out);
    svg_end(out);
}
