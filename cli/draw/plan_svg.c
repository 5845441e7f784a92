/* plan_svg.c - draws how A, B and C meet on a rank, as SVG: the page. */
#include "draw/plan_svg.h"

#include "draw/palette.h"
#include "draw/plan_svg_matrix.h"
#include "draw/plan_svg_scale.h"
#include "draw/plan_svg_steps.h"
#include "draw/svg.h"
#include "print/text_lines.h"

#include <inttypes.h>

/* Pixels. */
enum { MARGIN = 64, GAP = 60, LEAST_WIDTH = 800, EDGE = 20 };
/* Lines of text, the legend's sample of a style, and the swatches of ranks in it. */
enum { ROW = 18, SAMPLE = 30, SWATCH = 30, MOST_SWATCHES = 64 };

static const char style[] =
    ".replica{fill:#fff;stroke:#777}"
    ".tile{stroke:#777;stroke-width:.5}"
    ".own{fill:none;stroke:#000}"
    ".used{fill:url(#hatch)}"
    ".slice{stroke:#000}"
    ".rank{fill:#000}"
    ".step{font-weight:bold;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3}"
    ".tick{fill:#666}"
    ".command{font-family:monospace}";

static const char dim_names[DIMS + 1] = "mnk";

static const char hatch[] = "<defs><pattern id=\"hatch\" width=\"7\" height=\"7\" "
                            "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                            "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"7\" stroke=\"#000\" "
                            "stroke-opacity=\".5\" stroke-width=\"1.2\"/></pattern></defs>\n";

struct figure {
    struct scene scene;
    int stays; /* a matrix */
    struct panel panel[MATRICES];
    struct lines command, notes;
    int width, bottom; /* of what is above the legend */
    bool framed;       /* something of what stays */
    FILE *out;
};

static bool is_turned_by_op(const struct figure *figure, int matrix) {
    return matrix != MATRIX_C && figure->scene.problem->args->op[matrix] != SCT_N;
}

/* Where the first step begins, so that something of the rank is seen in any case. */
static sct_status find_first(const struct scene *scene, int64_t first[DIMS]) {
    sct_step step;
    for (int i = 0; i < DIMS; i++)
        first[i] = 0;
    if (scene->steps == 0)
        return SCT_OK;
    sct_status status = sct_plan_step(scene->plan, 0, &step);
    for (int i = 0; i < DIMS && status == SCT_OK; i++)
        first[i] = scene_indices(&step, i)->first.lo;
    return status;
}

static void note_sample(struct figure *figure, const struct track *track, int matrix,
                        const char *what) {
    static const char names[] = "ABC";
    if (!track->all)
        lines_add(&figure->notes, "Of the blocks of %s of %s%c%s only %d are drawn, as if alike.",
                  what, is_turned_by_op(figure, matrix) ? "op(" : "", names[matrix],
                  is_turned_by_op(figure, matrix) ? ")" : "", track->blocks);
}

static sct_status cut_panels(struct figure *figure) {
    int64_t first[DIMS];
    sct_status status = find_first(&figure->scene, first);
    for (int i = 0; i < MATRICES && status == SCT_OK; i++) {
        struct panel *panel = &figure->panel[i];
        *panel = (struct panel){.matrix = i};
        track_cut(&figure->scene, i, true, first[scene_down(i)], &panel->down);
        track_cut(&figure->scene, i, false, first[scene_across(i)], &panel->across);
        note_sample(figure, &panel->down, i, "rows");
        note_sample(figure, &panel->across, i, "columns");
    }
    return status;
}

static void lay_panels(struct figure *figure) {
    struct spread spread;
    spread_find(figure->scene.size, figure->panel, &spread);
    for (int i = 0; i < DIMS; i++)
        if (spread.times[i] > 1)
            lines_add(&figure->notes,
                      "Not in scale: %c is drawn %.*f times as long as it would be.", dim_names[i],
                      spread.times[i] < 10 ? 2 : 0, spread.times[i]);
    const int top = 2 * ROW + ROW * figure->command.count + GAP;
    const int *length = spread.length;
    const int x = MARGIN + length[DIM_K] + GAP, y = top + length[DIM_K] + GAP;
    const struct place corners[MATRICES] = {{y, MARGIN}, {top, x}, {y, x}};
    for (int i = 0; i < MATRICES; i++) {
        struct panel *panel = &figure->panel[i];
        panel->x = (int)corners[i].col;
        panel->y = (int)corners[i].row;
        track_lay(&panel->down, length[scene_down(i)]);
        track_lay(&panel->across, length[scene_across(i)]);
    }
    figure->width = x + length[DIM_N] + MARGIN;
    if (figure->width < LEAST_WIDTH)
        figure->width = LEAST_WIDTH;
    figure->bottom = y + length[DIM_M] + GAP;
}

static void add_notes(struct figure *figure) {
    static const char names[] = "ABC";
    const struct scene *scene = &figure->scene;
    for (int i = 0; i < MATRICES; i++) {
        int replicas = sct_layout_replicas(scene->problem->layout[i]);
        if (replicas > 1)
            lines_add(&figure->notes, "Of the %d replicas of %c, 0 to %d, this is %d.", replicas,
                      names[i], replicas - 1, scene->replica[i]);
    }
    if (scene->steps > USES_STEPS)
        lines_add(&figure->notes, "Only the first %d steps are marked.", USES_STEPS);
}

/* The problem, as it is asked for on the command line. */
static void write_command(struct figure *figure) {
    static const char *const stays[] = {"a", "b", "c"};
    static const char ops[] = "NTC";
    const struct args *args = figure->scene.problem->args;
    struct lines *command = &figure->command;
    lines_join(command, "--ranks %" PRId64, args->ranks);
    lines_join(command, "--shape %" PRId64 "x%" PRId64 "x%" PRId64, args->shape.m, args->shape.n,
               args->shape.k);
    if (args->op[MATRIX_A] != SCT_N || args->op[MATRIX_B] != SCT_N)
        lines_join(command, "--op %c%c", ops[args->op[MATRIX_A]], ops[args->op[MATRIX_B]]);
    for (int i = 0; i < MATRICES; i++)
        lines_join(command, "--%s %s", stays[i], args->layout[i]);
    for (int i = 0; i < MATRICES; i++)
        if (args->view[i].given)
            lines_join(command, "--view-%s %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64, stays[i],
                       args->view[i].rows, args->view[i].cols, args->view[i].row,
                       args->view[i].col);
    lines_join(command, "--stay %s", stays[figure->stays]);
    if (args->slicing == SCT_SLICE_TILE)
        lines_join(command, "--slice tile");
    if (args->nodes > 0)
        lines_join(command, "--nodes %" PRId64, args->nodes);
    lines_join(command, "--rank %" PRId64, args->rank);
}

static void draw_head(const struct figure *figure) {
    char text[80];
    snprintf(text, sizeof text, "How A, B and C meet on rank %" PRId64,
             figure->scene.problem->args->rank);
    svg_heading(figure->out, EDGE, 26, text);
    for (int i = 0; i < figure->command.count; i++)
        svg_label(figure->out, EDGE, 26 + ROW * (i + 1), 12, "class=\"command\"",
                  figure->command.line[i]);
}

static void draw_name(const struct figure *figure, int matrix) {
    static const char names[] = "ABC";
    const struct panel *panel = &figure->panel[matrix];
    bool turned = is_turned_by_op(figure, matrix);
    char text[40];
    snprintf(text, sizeof text, "%s%c%s, %c x %c", turned ? "op(" : "", names[matrix],
             turned ? ")" : "", dim_names[scene_down(matrix)], dim_names[scene_across(matrix)]);
    svg_heading(figure->out, panel->x, panel->y - 20, text);
}

static enum code draw_panel(struct figure *figure, int matrix) {
    const struct panel *panel = &figure->panel[matrix];
    draw_name(figure, matrix);
    panel_draw(&figure->scene, panel, figure->out);
    if (matrix != figure->stays)
        return uses_draw(&figure->scene, panel, figure->out);
    figure->framed = panel_frame(&figure->scene, panel, figure->out);
    return CODE_DONE;
}

/* Returns where the next line of the legend begins, as the others do. */
static int draw_swatches(const struct figure *figure, int y) {
    int64_t ranks = figure->scene.problem->args->ranks;
    int rows = 0, columns = (figure->width - 2 * EDGE) / SWATCH;
    for (int i = 0; i < ranks && i < MOST_SWATCHES; i++) {
        char colour[PALETTE_TEXT], attributes[40], text[12];
        int x = EDGE + i % columns * SWATCH;
        rows = i / columns + 1;
        palette_colour(i, colour);
        snprintf(attributes, sizeof attributes, "class=\"swatch\" fill=\"%s\"", colour);
        snprintf(text, sizeof text, "%d", i);
        svg_box(figure->out, x, y + i / columns * ROW, SWATCH - 3, ROW - 3, attributes);
        svg_text(figure->out, x + (SWATCH - 3) / 2.0, y + i / columns * ROW + 12, SVG_MIDDLE, text);
    }
    return y + rows * ROW;
}

/* What is marked, with a sample of how, if anything is. Returns where the next line begins. */
static int draw_sample(const struct figure *figure, int y, const char *attributes,
                       const char *text) {
    if (attributes)
        svg_box(figure->out, EDGE + 2, y + 2, SAMPLE - 4, ROW - 6, attributes);
    svg_text(figure->out, EDGE + (attributes ? SAMPLE + 8 : 0), y + 12, SVG_START, text);
    return y + ROW;
}

static int draw_samples(const struct figure *figure, int y) {
    static const char *const moving[] = {"reads of B and adds to in C",
                                         "reads of A and adds to in C", "reads of A and B"};
    int64_t rank = figure->scene.problem->args->rank, steps = figure->scene.steps;
    char text[200];
    if (figure->framed)
        snprintf(text, sizeof text, "rank %" PRId64 "'s part of %c, which stays", rank,
                 "ABC"[figure->stays]);
    else
        snprintf(text, sizeof text,
                 "Of %c, which stays, nothing that is drawn is rank %" PRId64 "'s.",
                 "ABC"[figure->stays], rank);
    y = draw_sample(figure, y, figure->framed ? "class=\"own\" stroke-width=\"3\"" : NULL, text);
    if (steps > 0)
        snprintf(text, sizeof text,
                 "what rank %" PRId64 " %s in its %" PRId64
                 " step%s; a number is that of the first step to do so, up to %d",
                 rank, moving[figure->stays], steps, steps == 1 ? "" : "s", USES_NUMBERED);
    else
        snprintf(text, sizeof text, "Rank %" PRId64 " has no steps.", rank);
    return draw_sample(figure, y, steps > 0 ? "class=\"used slice\"" : NULL, text);
}

static void draw_legend(const struct figure *figure) {
    int64_t ranks = figure->scene.problem->args->ranks;
    char text[80];
    int y = figure->bottom;
    snprintf(text, sizeof text, "The rank that owns a tile%s",
             ranks > MOST_SWATCHES ? "; the colours of more ranks go on alike" : "");
    svg_text(figure->out, EDGE, y - 6, SVG_START, text);
    y = draw_swatches(figure, y) + 8;
    y = draw_samples(figure, y);
    for (int i = 0; i < figure->notes.count; i++)
        svg_text(figure->out, EDGE, y + 14 + ROW * i, SVG_START, figure->notes.line[i]);
}

static int height_of(const struct figure *figure) {
    int columns = (figure->width - 2 * EDGE) / SWATCH;
    int64_t ranks = figure->scene.problem->args->ranks;
    int swatches = ranks < MOST_SWATCHES ? (int)ranks : MOST_SWATCHES;
    int rows = (swatches + columns - 1) / columns + 2 + figure->notes.count;
    return figure->bottom + rows * ROW + 2 * EDGE;
}

static enum code draw(struct figure *figure) {
    enum code code = CODE_DONE;
    svg_begin(figure->out, figure->width, height_of(figure));
    fprintf(figure->out, "<style>%s</style>\n%s", style, hatch);
    draw_head(figure);
    for (int i = 0; i < MATRICES && code == CODE_DONE; i++)
        code = draw_panel(figure, i);
    draw_legend(figure);
    svg_end(figure->out);
    return code;
}

enum code figure_draw(const struct problem *problem, const sct_plan *plan, FILE *out) {
    struct figure figure = {.stays = (int)(sct_plan_stay(plan) - SCT_STAY_A), .out = out};
    sct_status status = scene_create(problem, plan, &figure.scene);
    if (status == SCT_OK) {
        write_command(&figure);
        status = cut_panels(&figure);
    }
    if (status != SCT_OK) {
        report_error("%s", sct_last_reason());
        return report_code(status);
    }
    lay_panels(&figure);
    add_notes(&figure);
    return draw(&figure);
}
