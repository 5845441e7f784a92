/* plan_svg_matrix.c - one matrix of a figure: its tiles in the colours of their owners. */
#include "draw/plan_svg_matrix.h"

#include "draw/palette.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <math.h>

/* SHIFT: from one replica to the next; FONT: the largest of a rank's number. */
enum { STACK = 3, SHIFT = 4, FONT = 13, TICK_FONT = 10, INSET = 3 };
/* Tiles smaller than SMALL are without numbers, which would hide them. Numbers smaller than PLAIN
 * are turned if that makes them larger. In tiles that are not as high as THIN they would touch. */
enum { SMALL = 10, PLAIN = 9, THIN = 13 };

struct box {
    double x, y, width, height;
};

static int owner_of(const struct scene *scene, const struct panel *panel, int row, int col) {
    return scene_owner(scene, panel->matrix, panel->down.block[row].lo,
                       panel->across.block[col].lo);
}

/* How many other replicas are seen behind the matrix. */
static int stack_of(const struct scene *scene, const struct panel *panel) {
    int others = sct_layout_replicas(scene->problem->layout[panel->matrix]) - 1;
    return others < STACK ? others : STACK;
}

static void draw_stack(const struct scene *scene, const struct panel *panel, FILE *out) {
    for (int i = stack_of(scene, panel); i >= 0; i--)
        svg_box(out, panel->x + i * SHIFT, panel->y + i * SHIFT, panel->across.length,
                panel->down.length, "class=\"replica\"");
}

/* In the corner, so that the middle is free for what is marked; of small tiles it is the middle. In
 * a tile that is high but narrow it is turned; of thin tiles beside each other every other one has
 * it further in. The font is one in which the highest rank would fit, so that tiles of one size
 * look alike. */
static void draw_rank(const struct scene *scene, int rank, const struct box *box, bool odd,
                      FILE *out) {
    double width = box->width, height = box->height;
    char text[24], widest[24];
    snprintf(text, sizeof text, "%d", rank);
    snprintf(widest, sizeof widest, "%" PRId64, scene->problem->args->ranks - 1);
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

static void draw_tile(const struct scene *scene, const struct panel *panel, int row, int col,
                      FILE *out) {
    const struct block *down = &panel->down.block[row], *across = &panel->across.block[col];
    const struct box box = {panel->x + across->from, panel->y + down->from,
                            across->to - across->from, down->to - down->from};
    int rank = owner_of(scene, panel, row, col);
    char colour[PALETTE_TEXT], attributes[40];
    palette_colour(rank, colour);
    snprintf(attributes, sizeof attributes, "class=\"tile\" fill=\"%s\"", colour);
    svg_box(out, box.x, box.y, box.width, box.height, attributes);
    draw_rank(scene, rank, &box, (row + col) % 2 == 1, out);
}

/* Where an index that begins or ends a block is written: at the left or the right of a matrix, or
 * above or below it. */
struct scaling {
    bool down;
    double x, y; /* of index 0 */
    const char *attributes;
};

static void draw_tick(const struct scaling *scaling, int64_t index, int at, FILE *out) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, index);
    svg_label(out, scaling->x + (scaling->down ? 0 : at), scaling->y + (scaling->down ? at : 0),
              TICK_FONT, scaling->attributes, text);
}

/* How far ticks are apart at least. */
static double tick_room(const struct scaling *scaling, int64_t size) {
    char widest[24];
    snprintf(widest, sizeof widest, "%" PRId64, size);
    return scaling->down ? TICK_FONT : svg_width(widest, TICK_FONT) + 2 * INSET;
}

/* The end, and as many others as there is room for. With some blocks left out, they would tell
 * nothing. */
static void draw_ticks(const struct scaling *scaling, const struct track *track, FILE *out) {
    if (track->blocks == 0 || !track->all)
        return;
    const struct block *end = &track->block[track->blocks - 1];
    double room = tick_room(scaling, end->hi), free = 0;
    for (int i = 0; i < track->blocks; i++) {
        const struct block *block = &track->block[i];
        if (block->from < free || block->from > end->to - room)
            continue;
        draw_tick(scaling, block->lo, block->from, out);
        free = block->from + room;
    }
    draw_tick(scaling, end->hi, end->to, out);
}

/* C has those that it does not share with what is beside it: at its right and below it. */
static void draw_scalings(const struct scene *scene, const struct panel *panel, FILE *out) {
    bool outside = panel->matrix == MATRIX_C;
    double gap = 5 + (outside ? SHIFT * stack_of(scene, panel) : 0);
    double right = panel->x + panel->across.length, bottom = panel->y + panel->down.length;
    const struct scaling down = {true, outside ? right + gap : panel->x - gap, panel->y + 3,
                                 outside ? "class=\"tick\" text-anchor=\"start\""
                                         : "class=\"tick\" text-anchor=\"end\""};
    const struct scaling across = {false, panel->x,
                                   outside ? bottom + gap + TICK_FONT : panel->y - gap,
                                   "class=\"tick\" text-anchor=\"middle\""};
    draw_ticks(&down, &panel->down, out);
    draw_ticks(&across, &panel->across, out);
}

void panel_draw(const struct scene *scene, const struct panel *panel, FILE *out) {
    draw_stack(scene, panel, out);
    for (int row = 0; row < panel->down.blocks; row++)
        for (int col = 0; col < panel->across.blocks; col++)
            draw_tile(scene, panel, row, col, out);
    draw_scalings(scene, panel, out);
}

/* A line that leaves something of a small tile to be seen. */
static void frame_tile(const struct panel *panel, int row, int col, FILE *out) {
    const struct block *down = &panel->down.block[row], *across = &panel->across.block[col];
    int width = across->to - across->from, height = down->to - down->from;
    char attributes[40];
    snprintf(attributes, sizeof attributes, "class=\"own\" stroke-width=\"%.2g\"",
             fmin(3, 0.5 + fmin(width, height) / 10.0));
    svg_box(out, panel->x + across->from, panel->y + down->from, width, height, attributes);
}

bool panel_frame(const struct scene *scene, const struct panel *panel, FILE *out) {
    bool framed = false;
    for (int row = 0; row < panel->down.blocks; row++)
        for (int col = 0; col < panel->across.blocks; col++)
            if (owner_of(scene, panel, row, col) == scene->problem->args->rank) {
                frame_tile(panel, row, col, out);
                framed = true;
            }
    return framed;
}
