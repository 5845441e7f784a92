/* timeline.c - draws a timeline: a row per rank, with a lane for computing, getting and
 * accumulating. */
#include "pictures/timeline.h"

#include "pictures/chart_axis.h"
#include "pictures/svg.h"
#include "src/base/c_locale.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1200, LEFT = 76, RIGHT = 30, TOP = 98, BOTTOM = 50, PIXELS = WIDTH - LEFT - RIGHT };
enum { KINDS = SCT_SHARING + 1 };
/* These limit the size of the file, however many events there are. With more than ROWS ranks, a row
 * is a group of ranks. A event has a box of its own only if it is at least CELL pixels wide, if at
 * most BOXES are, and if rows are no groups. Otherwise each CELL pixels are shaded, in LEVELS
 * steps, by the share of time that events cover. */
enum { ROWS = 64, BOXES = 5000, CELL = 2, CELLS = PIXELS / CELL, LEVELS = 5 };

static const struct {
    const char *name;
    int colour;
} kinds[KINDS] = {
    [SCT_MULTIPLYING] = {"multiply", 0},  [SCT_GETTING] = {"get", 1},
    [SCT_GATHERING] = {"copy own", 4},    [SCT_ACCUMULATING] = {"accumulate", 2},
    [SCT_SCATTERING] = {"add to own", 5}, [SCT_REDUCING] = {"add replicas", 3},
    [SCT_SHARING] = {"copy replicas", 7},
};

/* The geometry of the picture. */
struct frame {
    struct chart_axis axis;
    int ranks, group, rows; /* group: ranks in a row */
    bool boxes;             /* wide events have boxes */
    double lane_height, row_height;
    int lane_of[KINDS]; /* the lane of each kind, counted among those in use */
    int bottom;         /* pixels: where the rows end */
    bool used[KINDS];
};

/* Where and how events of one kind are drawn in one row. */
struct lane {
    double y, height;
    int colour, ranks;
};

bool timeline_add(struct timeline *timeline, const sct_trace_event *event) {
    if (timeline->count == timeline->room) {
        int64_t room = 2 * timeline->room + 1024;
        sct_trace_event *grown = realloc(timeline->event, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        timeline->event = grown;
        timeline->room = room;
    }
    timeline->event[timeline->count++] = *event;
    return true;
}

void timeline_destroy(struct timeline *timeline) {
    free(timeline->event);
}

/* Orders events by rank, kind and time. */
static int in_order(const void *x, const void *y) {
    const sct_trace_event *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* An axis with round steps whose right edge is exactly `seconds`. */
static struct chart_axis axis_of(double seconds) {
    struct chart_axis axis = chart_axis_over(0, seconds, 10);
    axis.from = LEFT;
    axis.to = LEFT + PIXELS * (axis.high > 0 && seconds > 0 ? axis.high / seconds : 1);
    return axis;
}

static double place(const struct frame *frame, double seconds) {
    return chart_axis_at(&frame->axis, seconds);
}

static double width_of(const struct frame *frame, const sct_trace_event *event) {
    return place(frame, event->end) - place(frame, event->begin);
}

static int ranks_in(const struct frame *frame, int row) {
    int left = frame->ranks - row * frame->group;
    return left < frame->group ? left : frame->group;
}

/* Finds the lanes in use, and decides whether events get boxes. Returns the number of lanes. */
static int find_lanes(const struct timeline *timeline, struct frame *frame) {
    int lane_at[SCT_LANES], lanes = 0;
    bool used[SCT_LANES] = {false};
    int64_t wide = 0;
    for (int64_t i = 0; i < timeline->count; i++) {
        const sct_trace_event *event = &timeline->event[i];
        frame->used[event->kind] = true;
        frame->lane_of[event->kind] = event->lane;
        used[event->lane] = true;
        wide += width_of(frame, event) >= CELL;
    }
    for (int lane = 0; lane < SCT_LANES; lane++) {
        lane_at[lane] = lanes;
        lanes += used[lane];
    }
    for (int kind = 0; kind < KINDS; kind++)
        frame->lane_of[kind] = lane_at[frame->lane_of[kind]];
    frame->boxes = frame->group == 1 && wide <= BOXES;
    return lanes;
}

static struct frame frame_of(const struct timeline *timeline, int ranks, double seconds) {
    struct frame frame = {
        .axis = axis_of(seconds), .ranks = ranks, .group = (ranks + ROWS - 1) / ROWS};
    int lanes = find_lanes(timeline, &frame);
    frame.rows = (ranks + frame.group - 1) / frame.group;
    frame.lane_height = frame.rows <= 16 ? 12 : 5;
    frame.row_height = lanes * frame.lane_height + 3;
    frame.bottom = TOP + (int)ceil(frame.rows * frame.row_height);
    return frame;
}

/* A unit in which the total time is 2 or more, and what to multiply seconds by for it. */
static const char *unit_of(double seconds, double *factor) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    for (*factor = 1; unit < 3 && seconds * *factor < 2; unit++)
        *factor *= 1000;
    return units[unit];
}

static void draw_axis(const struct frame *frame, double seconds, FILE *out) {
    double factor;
    const char *unit = unit_of(seconds, &factor);
    for (int i = 0; i < chart_axis_marks(&frame->axis); i++) {
        char text[40];
        double value = chart_axis_mark(&frame->axis, i);
        if (value > seconds)
            break;
        snprintf(text, sizeof text, "%.4g", value * factor);
        svg_grid(out, place(frame, value), TOP - 4, place(frame, value), frame->bottom);
        svg_text(out, place(frame, value), frame->bottom + 16, SVG_MIDDLE, text);
    }
    svg_text(out, LEFT + PIXELS / 2.0, frame->bottom + 38, SVG_MIDDLE, unit);
}

static void draw_legend(const struct frame *frame, FILE *out) {
    double x = LEFT;
    for (int kind = 0; kind < KINDS; kind++) {
        if (!frame->used[kind])
            continue;
        svg_bar(out, x, 64, 14, 14, kinds[kind].colour, 1);
        svg_text(out, x + 20, 75, SVG_START, kinds[kind].name);
        x += 120;
    }
}

/* Names as many rows as fit without overlap. */
static void draw_names(const struct frame *frame, FILE *out) {
    int stride = (int)ceil(14 / frame->row_height);
    for (int row = 0; row < frame->rows; row += stride) {
        char text[40];
        double y = TOP + frame->row_height * row;
        int first = row * frame->group, last = first + ranks_in(frame, row) - 1;
        if (frame->group == 1)
            snprintf(text, sizeof text, "rank %d", first);
        else
            snprintf(text, sizeof text, "%d-%d", first, last);
        svg_text(out, LEFT - 8, y + fmin(frame->row_height, 14) / 2 + 4, SVG_END, text);
    }
}

/* Adds an event without a box to the coverage of the cells that it overlaps. */
static void shade(const struct frame *frame, const sct_trace_event *event, double *covered) {
    double from = (place(frame, event->begin) - LEFT) / CELL;
    double to = (place(frame, event->end) - LEFT) / CELL;
    for (int cell = (int)from; cell < CELLS && cell < to; cell++)
        covered[cell] += fmin(to, cell + 1) - fmax(from, cell);
}

/* The shade of a cell, 0 to LEVELS, in a row of this many ranks. */
static int level_at(const double *covered, int cell, int ranks) {
    return (int)fmin(LEVELS, ceil(covered[cell] / ranks * LEVELS - 1e-6));
}

/* Draws the cells of one shade, as one path. */
static void draw_level(const struct lane *lane, const double *covered, int level, FILE *out) {
    bool any = false;
    for (int from = 0, to; from < CELLS; from = to) {
        int here = level_at(covered, from, lane->ranks);
        for (to = from + 1; to < CELLS && level_at(covered, to, lane->ranks) == here;)
            to++;
        if (here != level)
            continue;
        if (!any)
            svg_spans_begin(out, lane->height, lane->colour, (double)level / LEVELS);
        any = true;
        svg_span(out, LEFT + CELL * from, lane->y + lane->height / 2, CELL * (to - from));
    }
    if (any)
        svg_spans_end(out);
}

static struct lane lane_of(const struct frame *frame, int row, int kind) {
    return (struct lane){.y = TOP + frame->row_height * row +
                              frame->lane_of[kind] * frame->lane_height,
                         .height = frame->lane_height,
                         .colour = kinds[kind].colour,
                         .ranks = ranks_in(frame, row)};
}

static void draw_box(const struct frame *frame, int row, const sct_trace_event *event, FILE *out) {
    const struct lane lane = lane_of(frame, row, event->kind);
    svg_bar(out, place(frame, event->begin), lane.y, width_of(frame, event) - 0.6, lane.height,
            lane.colour, event->kind == SCT_MULTIPLYING ? 1 : 0.6);
}

/* Draws one row. It is darker where events overlap. */
static void draw_row(const struct frame *frame, int row, const sct_trace_event *event,
                     int64_t count, FILE *out) {
    double covered[KINDS][CELLS] = {{0}};
    for (int64_t i = 0; i < count; i++)
        if (frame->boxes && width_of(frame, &event[i]) >= CELL)
            draw_box(frame, row, &event[i], out);
        else
            shade(frame, &event[i], covered[event[i].kind]);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct lane lane = lane_of(frame, row, kind);
        for (int level = 1; level <= LEVELS && frame->used[kind]; level++)
            draw_level(&lane, covered[kind], level, out);
    }
}

/* Says so if rows are groups of ranks. */
static void draw_note(const struct frame *frame, FILE *out) {
    char text[100];
    snprintf(text, sizeof text,
             "Each row is a group of %d ranks: the darker, the more of them are active.",
             frame->group);
    if (frame->group > 1)
        svg_text(out, 20, frame->bottom + 38, SVG_START, text);
}

static void draw(struct timeline *timeline, const char *heading, const char *more, int ranks,
                 double seconds, FILE *out) {
    struct frame frame = frame_of(timeline, ranks, seconds);
    if (timeline->count > 0)
        qsort(timeline->event, (size_t)timeline->count, sizeof *timeline->event, in_order);
    svg_begin(out, WIDTH, frame.bottom + BOTTOM);
    svg_heading(out, 20, 26, heading);
    svg_text(out, 20, 46, SVG_START, more);
    draw_legend(&frame, out);
    draw_axis(&frame, seconds, out);
    draw_names(&frame, out);
    draw_note(&frame, out);
    for (int64_t from = 0, to; from < timeline->count; from = to) {
        const sct_trace_event *first = &timeline->event[from];
        int row = first->rank / frame.group;
        for (to = from + 1; to < timeline->count && timeline->event[to].rank / frame.group == row;)
            to++;
        draw_row(&frame, row, first, to - from, out);
    }
    svg_end(out);
}

void timeline_draw(struct timeline *timeline, const char *heading, const char *more, int ranks,
                   double seconds, FILE *out) {
    sct_c_locale locale = sct_c_locale_begin();
    draw(timeline, heading, more, ranks, seconds, out);
    sct_c_locale_end(locale);
}
