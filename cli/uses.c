/* uses.c - what the steps of a rank use of a matrix of a figure.
 *
 * Steps may be many, and use the same slice again. So pixels are marked first, each with the first
 * step that uses it, and drawn then, in as few boxes as there are slices that can be seen. */
#include "uses.h"

#include "svg.h"

#include <stdlib.h>

/* Boxes thinner than THIN are not outlined; a number needs ROOM in one direction, so that the
 * number of the owner can be seen beside it, and FONT pixels at most and LEAST at least. */
enum { THIN = 5, ROOM = 24, FONT = 15, LEAST = 7 };

struct uses {
    const struct panel *panel;
    int width, height;
    int *first; /* the step that is the first to use the pixel, from 1; 0: none, or it is drawn */
    bool numbered[USES_NUMBERED + 1];
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

static void draw_number(struct uses *uses, const struct box *box, int number, FILE *out) {
    char text[12];
    snprintf(text, sizeof text, "%d", number);
    double size = svg_fit(text, box->width, box->height, FONT);
    if (size < LEAST || (box->width < ROOM && box->height < ROOM))
        return;
    svg_label(out, uses->panel->x + box->x + box->width / 2.0,
              uses->panel->y + box->y + box->height / 2.0 + 0.36 * size, size, "class=\"step\"",
              text);
    uses->numbered[number] = true;
}

static void draw_boxes(struct uses *uses, FILE *out) {
    for (int y = 0; y < uses->height; y++)
        for (int x = 0; x < uses->width; x++) {
            int number = uses->first[y * uses->width + x];
            if (number == 0)
                continue;
            struct box box = take_box(uses, x, y);
            bool thin = box.width < THIN || box.height < THIN;
            svg_box(out, uses->panel->x + x, uses->panel->y + y, box.width, box.height,
                    thin ? "class=\"used\"" : "class=\"used slice\"");
            if (number <= USES_NUMBERED && !uses->numbered[number])
                draw_number(uses, &box, number, out);
        }
}

enum code uses_draw(const struct scene *scene, const struct panel *panel, FILE *out) {
    struct uses uses = {panel, panel->across.length, panel->down.length, NULL, {false}};
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
