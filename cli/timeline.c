/* timeline.c - draws a row for each rank: a lane for each kind of thing that goes on at once. */
#include "timeline.h"

#include "scale.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1200, LEFT = 76, RIGHT = 30, TOP = 98, BOTTOM = 50, PIXELS = WIDTH - LEFT - RIGHT };
enum { DOINGS = SCT_SHARING + 1, SHADES = 5 };

static const struct {
    const char *name;
    int colour;
} doings[DOINGS] = {
    [SCT_MULTIPLYING] = {"multiply", 0},  [SCT_GETTING] = {"get", 1},
    [SCT_GATHERING] = {"copy own", 4},    [SCT_ACCUMULATING] = {"accumulate", 2},
    [SCT_SCATTERING] = {"add to own", 5}, [SCT_REDUCING] = {"add replicas", 3},
    [SCT_SHARING] = {"copy replicas", 7},
};

/* What of the picture follows from what there is to draw. */
struct frame {
    struct scale scale;
    double lane_height, row_height;
    int lane_of[SCT_LANES]; /* those that are used come first */
    int bottom;
    bool used[DOINGS];
};

bool timeline_add(struct timeline *timeline, const sct_deed *deed) {
    if (timeline->count == timeline->room) {
        int64_t room = 2 * timeline->room + 1024;
        sct_deed *grown = realloc(timeline->deed, (size_t)room * sizeof *grown);
        if (!grown)
            return false;
        timeline->deed = grown;
        timeline->room = room;
    }
    timeline->deed[timeline->count++] = *deed;
    return true;
}

void timeline_destroy(struct timeline *timeline) {
    free(timeline->deed);
}

/* By rank, then by what is done, then by time. */
static int in_order(const void *x, const void *y) {
    const sct_deed *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->doing != b->doing)
        return a->doing < b->doing ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* The seconds are exact on the right, where the longest rank ends. */
static struct scale scale_of(double seconds) {
    struct scale scale = scale_over(0, seconds, 10);
    scale.from = LEFT;
    scale.to = LEFT + PIXELS * (scale.high > 0 && seconds > 0 ? scale.high / seconds : 1);
    return scale;
}

static struct frame frame_of(const struct timeline *timeline, int ranks, double seconds) {
    struct frame frame = {.scale = scale_of(seconds)};
    bool lanes[SCT_LANES] = {false};
    int used = 0;
    for (int64_t i = 0; i < timeline->count; i++) {
        frame.used[timeline->deed[i].doing] = true;
        lanes[timeline->deed[i].lane] = true;
    }
    for (int lane = 0; lane < SCT_LANES; lane++) {
        frame.lane_of[lane] = used;
        used += lanes[lane];
    }
    frame.lane_height = ranks <= 16 ? 12 : ranks <= 64 ? 5 : ranks <= 256 ? 2 : 1;
    frame.row_height = used * frame.lane_height + (ranks <= 64 ? 3 : 0.5);
    frame.bottom = TOP + (int)ceil(ranks * frame.row_height);
    return frame;
}

static double place(const struct frame *frame, double seconds) {
    return scale_at(&frame->scale, seconds);
}

/* A unit in which the whole time is a number that can be read. */
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
    for (int i = 0; i < scale_marks(&frame->scale); i++) {
        char text[40];
        double value = scale_mark(&frame->scale, i);
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
    for (int doing = 0; doing < DOINGS; doing++) {
        if (!frame->used[doing])
            continue;
        svg_bar(out, x, 64, 14, 14, doings[doing].colour, 1);
        svg_text(out, x + 20, 75, SVG_START, doings[doing].name);
        x += 120;
    }
}

/* Names of ranks, as many as do not touch. */
static void draw_names(const struct frame *frame, int ranks, FILE *out) {
    int stride = (int)ceil(14 / frame->row_height);
    for (int rank = 0; rank < ranks; rank += stride) {
        char text[40];
        double y = TOP + frame->row_height * rank;
        snprintf(text, sizeof text, "rank %d", rank);
        svg_text(out, LEFT - 8, y + fmin(frame->row_height, 14) / 2 + 4, SVG_END, text);
    }
}

/* What is too short for a box of its own darkens the pixels that it falls on. */
static void shade(const struct frame *frame, const sct_deed *deed, double *covered) {
    double from = place(frame, deed->begin) - LEFT, to = place(frame, deed->end) - LEFT;
    for (int pixel = (int)from; pixel < PIXELS && pixel < to; pixel++)
        covered[pixel] += fmin(to, pixel + 1) - fmax(from, pixel);
}

static int shade_at(const double *covered, int pixel) {
    return (int)fmin(SHADES, ceil(covered[pixel] * SHADES - 1e-6));
}

static void draw_shades(const struct frame *frame, const double *covered, double y, int colour,
                        FILE *out) {
    for (int from = 0, to; from < PIXELS; from = to) {
        int level = shade_at(covered, from);
        for (to = from + 1; to < PIXELS && shade_at(covered, to) == level;)
            to++;
        if (level > 0)
            svg_bar(out, LEFT + from, y, to - from, frame->lane_height, colour,
                    (double)level / SHADES);
    }
}

/* Deeds of one rank and kind. Where several go on at once, that is darker. */
static void draw_row(const struct frame *frame, const sct_deed *deed, int64_t count, FILE *out) {
    double covered[PIXELS] = {0};
    double y =
        TOP + frame->row_height * deed->rank + frame->lane_of[deed->lane] * frame->lane_height;
    int colour = doings[deed->doing].colour;
    for (int64_t i = 0; i < count; i++) {
        double x = place(frame, deed[i].begin), width = place(frame, deed[i].end) - x;
        if (width < 2)
            shade(frame, &deed[i], covered);
        else
            svg_bar(out, x, y, width - 0.6, frame->lane_height, colour,
                    deed->doing == SCT_MULTIPLYING ? 1 : 0.6);
    }
    draw_shades(frame, covered, y, colour, out);
}

void timeline_draw(struct timeline *timeline, const char *heading, const char *more, int ranks,
                   double seconds, FILE *out) {
    struct frame frame = frame_of(timeline, ranks, seconds);
    if (timeline->count > 0)
        qsort(timeline->deed, (size_t)timeline->count, sizeof *timeline->deed, in_order);
    svg_begin(out, WIDTH, frame.bottom + BOTTOM);
    svg_heading(out, 20, 26, heading);
    svg_text(out, 20, 46, SVG_START, more);
    draw_legend(&frame, out);
    draw_axis(&frame, seconds, out);
    draw_names(&frame, ranks, out);
    for (int64_t from = 0, to; from < timeline->count; from = to) {
        const sct_deed *first = &timeline->deed[from];
        for (to = from + 1; to < timeline->count && timeline->deed[to].rank == first->rank &&
                            timeline->deed[to].doing == first->doing;)
            to++;
        draw_row(&frame, first, to - from, out);
    }
    svg_end(out);
}
