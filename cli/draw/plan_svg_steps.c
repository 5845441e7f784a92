/* plan_svg_steps.c - what the steps of a rank use of a matrix of a figure.
 *
 * Steps may be many, and use the same slice again. So pixels are marked first, each with the first
 * step that uses it, and drawn then, in as few boxes as there are slices that can be seen. */
#include "draw/plan_svg_steps.h"

#include "draw/svg.h"

#include <math.h>
#include <stdlib.h>

/* Boxes thinner than THIN are not outlined; a number needs ROOM in one direction, so that the
 * number of the owner can be seen beside it, and FONT pixels at most and LEAST at least. SPACE is
 * between one and the next. */
enum { THIN = 5, ROOM = 24, FONT = 15, LEAST = 7, SPACE = 6 };

/* One that is written, about its middle. */
struct label {
    double x, y, size;
};

struct uses {
    const struct panel *panel;
    int width, height;
    int *first; /* the step that is the first to use the pixel, from 1; 0: none, or it is drawn */
    bool numbered[USES_NUMBERED + 1];
    struct label number[USES_NUMBERED];
    int numbers;
};

struct box {
    int x, y, width, height;
};

static void mark(struct uses *uses, const sct_step *step, int number) {
    const struct panel *panel = uses->panel;
    bool rows[TRACK_LENGTH], cols[TRACK_LENGTH];
    track_find(&panel->down, scene_indices(step, scene_down(panel->matrix)), rows);
    track_find(&panel->across, scene_indices(step, scene_across(panel->matrix)), cols);
    for (int y = 0; y < uses->height; y++)
        for (int x = 0; rows[y] && x < uses->width; x++)
            if (cols[x] && uses->first[y * uses->width + x] == 0)
                uses->first[y * uses->width + x] = number;
}

static sct_status mark_all(const struct scene *scene, struct uses *uses) {
    sct_status status = SCT_OK;
    for (int i = 0; i < scene->steps && i < USES_STEPS && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(scene->plan, i, &step);
        if (status == SCT_OK)
            mark(uses, &step, i + 1);
    }
    return status;
}

/* How many pixels from (x, y) to the right are of that step. */
static int run_length(const struct uses *uses, int x, int y, int number) {
    int end = x;
    while (end < uses->width && uses->first[y * uses->width + end] == number)
        end++;
    return end - x;
}

/* The box of one step with that corner; clears it. */
static struct box take_box(struct uses *uses, int x, int y) {
    int number = uses->first[y * uses->width + x];
    struct box box = {x, y, run_length(uses, x, y, number), 0};
    while (y + box.height < uses->height &&
           run_length(uses, x, y + box.height, number) >= box.width) {
        for (int i = 0; i < box.width; i++)
            uses->first[(y + box.height) * uses->width + x + i] = 0;
        box.height++;
    }
    return box;
}

/* Beside each other they would be read as one, below each other they would not. */
static bool is_clear(const struct uses *uses, const struct label *number) {
    for (int i = 0; i < uses->numbers; i++) {
        const struct label *other = &uses->number[i];
        double size = fmax(number->size, other->size);
        if (fabs(number->x - other->x) < svg_width("9", size) + SPACE &&
            fabs(number->y - other->y) < svg_height(size))
            return false;
    }
    return true;
}

static void draw_number(struct uses *uses, const struct box *box, int step, FILE *out) {
    char text[12];
    snprintf(text, sizeof text, "%d", step);
    const struct label number = {uses->panel->x + box->x + box->width / 2.0,
                                 uses->panel->y + box->y + box->height / 2.0,
                                 svg_fit(text, box->width, box->height, FONT)};
    bool small = number.size < LEAST || (box->width < ROOM && box->height < ROOM);
    if (small || !is_clear(uses, &number))
        return;
    svg_label(out, number.x, number.y + svg_height(number.size) / 2, number.size, "class=\"step\"",
              text);
    uses->number[uses->numbers++] = number;
    uses->numbered[step] = true;
}

/* The outline leaves something of a small box to be seen. */
static void draw_box(const struct uses *uses, const struct box *box, FILE *out) {
    int least = box->width < box->height ? box->width : box->height;
    char outlined[60];
    snprintf(outlined, sizeof outlined, "class=\"used slice\" stroke-width=\"%.2g\"",
             fmin(1.2, 0.3 + least / 20.0));
    svg_box(out, uses->panel->x + box->x, uses->panel->y + box->y, box->width, box->height,
            least < THIN ? "class=\"used\"" : outlined);
}

static void draw_boxes(struct uses *uses, FILE *out) {
    for (int y = 0; y < uses->height; y++)
        for (int x = 0; x < uses->width; x++) {
            int number = uses->first[y * uses->width + x];
            if (number == 0)
                continue;
            struct box box = take_box(uses, x, y);
            draw_box(uses, &box, out);
            if (number <= USES_NUMBERED && !uses->numbered[number])
                draw_number(uses, &box, number, out);
        }
}

enum code uses_draw(const struct scene *scene, const struct panel *panel, FILE *out) {
    struct uses uses = {panel, panel->across.length, panel->down.length, NULL, {false}, {{0, 0, 0}},
                        0};
    uses.first = calloc((size_t)(uses.width * uses.height), sizeof *uses.first);
    if (!uses.first) {
        report_error("no memory for the figure");
        return CODE_FAILED;
    }
    sct_status status = mark_all(scene, &uses);
    if (status == SCT_OK)
        draw_boxes(&uses, out);
    else
        report_error("%s", sct_last_reason());
    free(uses.first);
    return report_code(status);
}
