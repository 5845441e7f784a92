/* plan_svg.c - draws A, B and C, their owners and the slices that one rank uses, as SVG: the page.
 */
#include "pictures/plan_svg.h"

#include "pictures/palette.h"
#include "pictures/plan_svg_matrix.h"
#include "pictures/plan_svg_steps.h"
#include "pictures/plan_svg_work.h"
#include "pictures/svg.h"
#include "pictures/text_lines.h"
#include "src/base/c_locale.h"

#include <inttypes.h>

/* Pixels: around and between the matrices, the least width of the page, around the texts. */
enum { MARGIN = 64, GAP = 60, LEAST_WIDTH = 800, EDGE = 20 };
/* Pixels: a line of text, a sample in the legend, a colour swatch of a rank. */
enum { ROW = 18, SAMPLE = 30, SWATCH = 30, MOST_SWATCHES = 64 };

/* Pixels: the longest dimension when all are to scale, and the minimum for any. */
enum { USUAL = 440, SHORTEST = 80 };
/* Pixels per block: in a matrix cut in this dimension alone, where numbers can be rotated along a
 * strip, and in a matrix cut in both, where a number must fit a tile. */
enum { STRIP = 9, TILE = 18 };

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

struct page {
    struct drawing drawing;
    int shaped;             /* the matrix that is stationary, or whose shape the work layout has */
    const sct_layout *work; /* NULL: a matrix is stationary */
    struct svg_matrix view[OPERANDS];
    const struct text_lines *command;
    struct text_lines notes;
    int width, bottom; /* of the page, in pixels; of the matrices, where the legend begins */
    bool framed;       /* the rank's part of the stationary matrix, or of the work, is drawn */
    FILE *out;
};

/* The first indices of the first step; 0 if there is none. Samples of blocks include them, so that
 * the rank's work shows. */
static sct_status find_first(const struct drawing *drawing, int64_t first[DIMS]) {
    sct_step step;
    for (int i = 0; i < DIMS; i++)
        first[i] = 0;
    if (drawing->steps == 0)
        return SCT_OK;
    sct_status status = sct_plan_step(drawing->plan, 0, &step);
    for (int i = 0; i < DIMS && status == SCT_OK; i++)
        first[i] = drawing_indices(&step, i)->first.lo;
    return status;
}

static void note_sample(struct page *page, const struct svg_axis *axis, int matrix,
                        const char *what) {
    static const char names[] = "ABC";
    if (!axis->all)
        text_lines_add(&page->notes,
                       "Of the %d blocks of %s of %s%c%s, a sample is drawn, all of one size.",
                       axis->blocks, what, page->drawing.turned[matrix] ? "op(" : "", names[matrix],
                       page->drawing.turned[matrix] ? ")" : "");
}

static sct_status cut_panels(struct page *page) {
    int64_t first[DIMS];
    sct_status status = find_first(&page->drawing, first);
    for (int i = 0; i < OPERANDS && status == SCT_OK; i++) {
        struct svg_matrix *view = &page->view[i];
        *view = (struct svg_matrix){.matrix = i};
        svg_axis_cut(&page->drawing, i, true, first[drawing_down(i)], &view->down);
        svg_axis_cut(&page->drawing, i, false, first[drawing_across(i)], &view->across);
        note_sample(page, &view->down, i, "rows");
        note_sample(page, &view->across, i, "columns");
    }
    return status;
}

static int clip(int length, int least, int most) {
    return length < least ? least : length > most ? most : length;
}

/* The length that the blocks of an axis need, in a matrix with this other axis. */
static int need(const struct svg_axis *axis, const struct svg_axis *other) {
    return axis->blocks * (other->blocks > 1 ? TILE : STRIP);
}

/* Finds the minimum lengths of m, n and k. */
static void find_least(const struct svg_matrix view[OPERANDS], int least[DIMS]) {
    for (int i = 0; i < DIMS; i++)
        least[i] = SHORTEST;
    for (int i = 0; i < OPERANDS; i++) {
        const struct svg_axis *down = &view[i].down, *across = &view[i].across;
        int *rows = &least[drawing_down(i)], *cols = &least[drawing_across(i)];
        *rows = clip(need(down, across), *rows, SVG_AXIS_LENGTH);
        *cols = clip(need(across, down), *cols, SVG_AXIS_LENGTH);
    }
}

/* Finds the lengths of m, n and k in pixels. All have one scale, except those that must be longer
 * to leave room for the owners' numbers in their blocks; a note tells of these. */
static void find_lengths(struct page *page, int length[DIMS]) {
    const int64_t *size = page->drawing.size;
    int least[DIMS];
    int64_t most = 1;
    find_least(page->view, least);
    for (int i = 0; i < DIMS; i++)
        most = size[i] > most ? size[i] : most;
    for (int i = 0; i < DIMS; i++) {
        double exact = (double)size[i] / (double)most * USUAL;
        length[i] = clip((int)(exact + 0.5), least[i], SVG_AXIS_LENGTH);
        if (exact > 0 && length[i] > exact + 1)
            text_lines_add(&page->notes, "Not to scale: %c is stretched %.*f times.", dim_names[i],
                           least[i] / exact < 10 ? 2 : 0, least[i] / exact);
    }
}

static void lay_panels(struct page *page) {
    int length[DIMS];
    find_lengths(page, length);
    const int top = 2 * ROW + ROW * page->command->count + GAP;
    const int x = MARGIN + length[DIM_K] + GAP, y = top + length[DIM_K] + GAP;
    const int rows[OPERANDS] = {y, top, y}, cols[OPERANDS] = {MARGIN, x, x};
    for (int i = 0; i < OPERANDS; i++) {
        struct svg_matrix *view = &page->view[i];
        view->x = cols[i];
        view->y = rows[i];
        svg_axis_lay(&view->down, length[drawing_down(i)]);
        svg_axis_lay(&view->across, length[drawing_across(i)]);
    }
    page->width = x + length[DIM_N] + MARGIN;
    if (page->width < LEAST_WIDTH)
        page->width = LEAST_WIDTH;
    page->bottom = y + length[DIM_M] + GAP;
}

static void add_notes(struct page *page) {
    static const char names[] = "ABC";
    const struct drawing *drawing = &page->drawing;
    for (int i = 0; i < OPERANDS; i++) {
        int replicas = sct_layout_replicas(drawing->layout[i]);
        if (replicas > 1)
            text_lines_add(&page->notes, "%c has %d replicas; replica %d is drawn.", names[i],
                           replicas, drawing->replica[i]);
    }
    if (drawing->steps > MARKED_STEPS)
        text_lines_add(&page->notes, "Only the first %d steps are marked.", MARKED_STEPS);
}

static void draw_head(const struct page *page) {
    char text[80];
    snprintf(text, sizeof text, "Owners of A, B and C, and the slices that rank %d uses",
             page->drawing.rank);
    svg_heading(page->out, EDGE, 26, text);
    for (int i = 0; i < page->command->count; i++)
        svg_label(page->out, EDGE, 26 + ROW * (i + 1), 12, "class=\"command\"",
                  page->command->line[i]);
}

static void draw_name(const struct page *page, int matrix) {
    static const char names[] = "ABC";
    const struct svg_matrix *view = &page->view[matrix];
    bool turned = page->drawing.turned[matrix];
    char text[40];
    snprintf(text, sizeof text, "%s%c%s, %c x %c", turned ? "op(" : "", names[matrix],
             turned ? ")" : "", dim_names[drawing_down(matrix)], dim_names[drawing_across(matrix)]);
    svg_heading(page->out, view->x, view->y - 20, text);
}

static sct_status draw_panel(struct page *page, int matrix) {
    const struct svg_matrix *view = &page->view[matrix];
    draw_name(page, matrix);
    svg_matrix_draw(&page->drawing, view, page->out);
    if (matrix == page->shaped && !page->work) {
        page->framed = svg_matrix_frame(&page->drawing, view, page->out);
        return SCT_OK;
    }
    sct_status status = svg_steps_draw(&page->drawing, view, page->out);
    if (matrix == page->shaped)
        page->framed = svg_work_draw(&page->drawing, view, page->out);
    return status;
}

/* Returns where the next line begins. */
static int draw_swatches(const struct page *page, int y) {
    int ranks = page->drawing.problem->ranks;
    int rows = 0, columns = (page->width - 2 * EDGE) / SWATCH;
    for (int i = 0; i < ranks && i < MOST_SWATCHES; i++) {
        char colour[PALETTE_TEXT], attributes[40], text[12];
        int x = EDGE + i % columns * SWATCH;
        rows = i / columns + 1;
        palette_colour(i, colour);
        snprintf(attributes, sizeof attributes, "class=\"swatch\" fill=\"%s\"", colour);
        snprintf(text, sizeof text, "%d", i);
        svg_box(page->out, x, y + i / columns * ROW, SWATCH - 3, ROW - 3, attributes);
        svg_text(page->out, x + (SWATCH - 3) / 2.0, y + i / columns * ROW + 12, SVG_MIDDLE, text);
    }
    return y + rows * ROW;
}

/* Explains a mark beside a sample of it, if there is one. Returns where the next line begins. */
static int draw_sample(const struct page *page, int y, const char *attributes, const char *text) {
    if (attributes)
        svg_box(page->out, EDGE + 2, y + 2, SAMPLE - 4, ROW - 6, attributes);
    svg_text(page->out, EDGE + (attributes ? SAMPLE + 8 : 0), y + 12, SVG_START, text);
    return y + ROW;
}

static int draw_work_samples(const struct page *page, int y) {
    static const char names[] = "ABC", divided[] = "nmk";
    int replicas = sct_layout_replicas(page->work), rank = page->drawing.rank;
    char text[120], shared[60] = "";
    snprintf(text, sizeof text, "cuts of the work layout, which has the shape of %c",
             names[page->shaped]);
    svg_limit(page->out, EDGE + 2, y + ROW / 2.0, EDGE + SAMPLE - 2, y + ROW / 2.0);
    svg_text(page->out, EDGE + SAMPLE + 8, y + 12, SVG_START, text);
    y += ROW;
    if (!page->framed)
        return y;
    if (replicas > 1)
        snprintf(shared, sizeof shared, ", in replica %d of %d, which divide %c",
                 sct_layout_home(page->work, rank), replicas, divided[page->shaped]);
    snprintf(text, sizeof text, "rank %d's part of the work%s", rank, shared);
    return draw_sample(page, y, "class=\"own\" stroke-width=\"3\"", text);
}

static int draw_stationary_sample(const struct page *page, int y) {
    int rank = page->drawing.rank;
    char name = "ABC"[page->shaped];
    char text[120];
    if (page->framed)
        snprintf(text, sizeof text, "rank %d's part of %c, the stationary matrix", rank, name);
    else
        snprintf(text, sizeof text,
                 "Rank %d owns nothing that is drawn of %c, the stationary matrix.", rank, name);
    return draw_sample(page, y, page->framed ? "class=\"own\" stroke-width=\"3\"" : NULL, text);
}

static int draw_samples(const struct page *page, int y) {
    static const char *const moving[] = {"slices of B read and of C updated",
                                         "slices of A read and of C updated",
                                         "slices of A and B read"};
    int rank = page->drawing.rank;
    int64_t steps = page->drawing.steps;
    char text[200];
    y = page->work ? draw_work_samples(page, y) : draw_stationary_sample(page, y);
    if (steps > 0)
        snprintf(text, sizeof text,
                 "%s by rank %d in %" PRId64
                 " step%s; the number is the first step that does so, up to %d",
                 page->work ? "slices of A and B read and of C updated" : moving[page->shaped],
                 rank, steps, steps == 1 ? "" : "s", NUMBERED_STEPS);
    else
        snprintf(text, sizeof text, "Rank %d has no steps.", rank);
    return draw_sample(page, y, steps > 0 ? "class=\"used slice\"" : NULL, text);
}

static void draw_legend(const struct page *page) {
    int ranks = page->drawing.problem->ranks;
    char text[80];
    int y = page->bottom;
    snprintf(text, sizeof text, "The owner of a tile%s",
             ranks > MOST_SWATCHES ? "; further ranks continue the colours" : "");
    svg_text(page->out, EDGE, y - 6, SVG_START, text);
    y = draw_swatches(page, y) + 8;
    y = draw_samples(page, y);
    for (int i = 0; i < page->notes.count; i++)
        svg_text(page->out, EDGE, y + 14 + ROW * i, SVG_START, page->notes.line[i]);
}

static int height_of(const struct page *page) {
    int columns = (page->width - 2 * EDGE) / SWATCH;
    int ranks = page->drawing.problem->ranks;
    int swatches = ranks < MOST_SWATCHES ? (int)ranks : MOST_SWATCHES;
    int samples = page->work ? 3 : 2;
    int rows = (swatches + columns - 1) / columns + samples + page->notes.count;
    return page->bottom + rows * ROW + 2 * EDGE;
}

static sct_status draw(struct page *page) {
    sct_status status = SCT_OK;
    svg_begin(page->out, page->width, height_of(page));
    fprintf(page->out, "<style>%s</style>\n%s", style, hatch);
    draw_head(page);
    for (int i = 0; i < OPERANDS && status == SCT_OK; i++)
        status = draw_panel(page, i);
    draw_legend(page);
    svg_end(page->out);
    return status;
}

sct_status plan_svg_draw(const sct_problem *problem, const sct_plan *plan, int rank,
                         const struct text_lines *command, FILE *out) {
    struct page page = {.shaped = (int)(sct_plan_stay(plan) - SCT_STAY_A),
                        .work = sct_plan_work(plan),
                        .command = command,
                        .out = out};
    sct_status status = drawing_create(problem, plan, rank, &page.drawing);
    if (status == SCT_OK)
        status = cut_panels(&page);
    if (status != SCT_OK)
        return status;
    sct_c_locale locale = sct_c_locale_begin();
    lay_panels(&page);
    add_notes(&page);
    status = draw(&page);
    sct_c_locale_end(locale);
    return status;
}
