/* plan_svg_matrix.c - draws one matrix of a plan picture: its tiles in the colours of their owners.
 */
#include "pictures/plan_svg_matrix.h"

#include "pictures/palette.h"
#include "pictures/svg.h"

#include <inttypes.h>
#include <math.h>

/* Pixels. At most STACK replicas are outlined behind the one drawn, each shifted by SHIFT. Rank
 * numbers have at most size FONT, and INSET pixels between them and the edge. */
enum { STACK = 3, SHIFT = 4, FONT = 13, TICK_FONT = 10, INSET = 3 };
/* Tiles smaller than SMALL get no number, because it would hide them. Numbers smaller than PLAIN
 * are rotated if that allows a larger font. In tiles lower than THIN, neighbouring numbers would
 * touch. */
enum { SMALL = 10, PLAIN = 9, THIN = 13 };

struct box {
    double x, y, width, height;
};

static int owner_of(const struct drawing *drawing, const struct svg_matrix *view, int row,
                    int col) {
    return drawing_owner(drawing, view->matrix, view->down.block[row].lo,
                         view->across.block[col].lo);
}

/* The number of outlines of other replicas behind the matrix. */
static int stack_of(const struct drawing *drawing, const struct svg_matrix *view) {
    int others = sct_layout_replicas(drawing->layout[view->matrix]) - 1;
    return others < STACK ? others : STACK;
}

static void draw_stack(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    for (int i = stack_of(drawing, view); i >= 0; i--)
        svg_box(out, view->x + i * SHIFT, view->y + i * SHIFT, view->across.length,
                view->down.length, "class=\"replica\"");
}

/* Writes the owner's number into the corner of a tile, or into the middle of a small one. It is
 * rotated in a high, narrow tile. In a row of thin tiles every second number is indented. The font
 * fits the highest rank number, so that equal tiles look alike. */
static void draw_rank(const struct drawing *drawing, int rank, const struct box *box, bool odd,
                      FILE *out) {
    double width = box->width, height = box->height;
    char text[24], widest[24];
    snprintf(text, sizeof text, "%d", rank);
    snprintf(widest, sizeof widest, "%d", drawing->problem->ranks - 1);
    double upright = svg_fit(widest, width - 1, height, FONT);
    double turned = svg_fit(widest, height - 1, width, FONT);
    bool turns = upright < PLAIN && turned > upright;
    double size = turns ? turned : upright;
    if (size == 0 || fmax(width, height) < SMALL)
        return;
    double length = turns ? height : width, thickness = turns ? width : height;
    double digits = svg_height(size), aside = fmin((thickness - digits) / 2, INSET);
    double along = fmin((length - svg_width(text, size)) / 2, INSET);
    if (odd && thickness < THIN && length > 3 * svg_width(widest, size))
        along += svg_width(widest, size) + INSET;
    if (turns)
        svg_label_up(out, box->x + aside + digits, box->y + along, size, "class=\"rank\"", text);
    else
        svg_label(out, box->x + along, box->y + aside + digits, size, "class=\"rank\"", text);
}

static void draw_tile(const struct drawing *drawing, const struct svg_matrix *view, int row,
                      int col, FILE *out) {
    const struct block *down = &view->down.block[row], *across = &view->across.block[col];
    const struct box box = {view->x + across->from, view->y + down->from, across->to - across->from,
                            down->to - down->from};
    int rank = owner_of(drawing, view, row, col);
    char colour[PALETTE_TEXT], attributes[40];
    palette_colour(rank, colour);
    snprintf(attributes, sizeof attributes, "class=\"tile\" fill=\"%s\"", colour);
    svg_box(out, box.x, box.y, box.width, box.height, attributes);
    draw_rank(drawing, rank, &box, (row + col) % 2 == 1, out);
}

/* Where the ticks of an axis are: beside a matrix, or above or below it. */
struct scaling {
    bool down;
    double x, y; /* position of index 0 */
    const char *attributes;
};

static void draw_tick(const struct scaling *scaling, int64_t index, int at, FILE *out) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, index);
    svg_label(out, scaling->x + (scaling->down ? 0 : at), scaling->y + (scaling->down ? at : 0),
              TICK_FONT, scaling->attributes, text);
}

/* The minimum distance between two ticks, where `size` is the largest index. */
static double tick_room(const struct scaling *scaling, int64_t size) {
    char widest[24];
    snprintf(widest, sizeof widest, "%" PRId64, size);
    return scaling->down ? TICK_FONT : svg_width(widest, TICK_FONT) + 2 * INSET;
}

/* Draws a tick at the end of the axis, and as many others as fit, at the starts of blocks. A sample
 * of blocks gets no ticks, since the places between them would mean nothing. */
static void draw_ticks(const struct scaling *scaling, const struct svg_axis *axis, FILE *out) {
    if (axis->blocks == 0 || !axis->all)
        return;
    const struct block *end = &axis->block[axis->blocks - 1];
    double room = tick_room(scaling, end->hi), free = 0;
    for (int i = 0; i < axis->blocks; i++) {
        const struct block *block = &axis->block[i];
        if (block->from < free || block->from > end->to - room)
            continue;
        draw_tick(scaling, block->lo, block->from, out);
        free = block->from + room;
    }
    draw_tick(scaling, end->hi, end->to, out);
}

/* Draws the ticks of both axes. Those of C are at its right and below it, because A and B are on
 * the other sides. */
static void draw_scalings(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    bool outside = view->matrix == OPERAND_C;
    double gap = 5 + (outside ? SHIFT * stack_of(drawing, view) : 0);
    double right = view->x + view->across.length, bottom = view->y + view->down.length;
    const struct scaling down = {true, outside ? right + gap : view->x - gap, view->y + 3,
                                 outside ? "class=\"tick\" text-anchor=\"start\""
                                         : "class=\"tick\" text-anchor=\"end\""};
    const struct scaling across = {false, view->x,
                                   outside ? bottom + gap + TICK_FONT : view->y - gap,
                                   "class=\"tick\" text-anchor=\"middle\""};
    draw_ticks(&down, &view->down, out);
    draw_ticks(&across, &view->across, out);
}

void svg_matrix_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    draw_stack(drawing, view, out);
    for (int row = 0; row < view->down.blocks; row++)
        for (int col = 0; col < view->across.blocks; col++)
            draw_tile(drawing, view, row, col, out);
    draw_scalings(drawing, view, out);
}

/* Frames a tile with a line thin enough to leave a small tile visible. */
static void frame_tile(const struct svg_matrix *view, int row, int col, FILE *out) {
    const struct block *down = &view->down.block[row], *across = &view->across.block[col];
    int width = across->to - across->from, height = down->to - down->from;
    char attributes[40];
    snprintf(attributes, sizeof attributes, "class=\"own\" stroke-width=\"%.2g\"",
             fmin(3, 0.5 + fmin(width, height) / 10.0));
    svg_box(out, view->x + across->from, view->y + down->from, width, height, attributes);
}

bool svg_matrix_frame(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    bool framed = false;
    for (int row = 0; row < view->down.blocks; row++)
        for (int col = 0; col < view->across.blocks; col++)
            if (owner_of(drawing, view, row, col) == drawing->rank) {
                frame_tile(view, row, col, out);
                framed = true;
            }
    return framed;
}
