/* plan_svg_steps.c - hatches the slices of a matrix that the steps of a rank use.
 *
 * A rank may have many steps, and use a slice repeatedly. So pixels are marked first, each with the
 * first step that uses it, and then drawn in as few boxes as there are visible slices. */
#include "pictures/plan_svg_steps.h"

#include "pictures/svg.h"

#include <math.h>
#include <stdlib.h>

/* Boxes thinner than THIN have no outline. A number needs ROOM pixels in one direction, so that the
 * owner's number stays visible, and a font between LEAST and FONT; SPACE separates two numbers. */
enum { THIN = 5, ROOM = 24, FONT = 15, LEAST = 7, SPACE = 6 };

/* A step number and its centre. */
struct label {
    double x, y, size;
};

struct uses {
    const struct svg_matrix *view;
    int width, height;
    int *first; /* the first step to use the pixel, from 1; 0: none, or already drawn */
    bool numbered[NUMBERED_STEPS + 1];
    struct label number[NUMBERED_STEPS]; /* those that are drawn */
    int numbers;
};

struct box {
    int x, y, width, height;
};

static void mark(struct uses *uses, const sct_step *step, int number) {
    const struct svg_matrix *view = uses->view;
    bool rows[SVG_AXIS_LENGTH], cols[SVG_AXIS_LENGTH];
    int col[SVG_AXIS_LENGTH], count = 0;
    svg_axis_find(&view->down, drawing_indices(step, drawing_down(view->matrix)), rows);
    svg_axis_find(&view->across, drawing_indices(step, drawing_across(view->matrix)), cols);
    for (int x = 0; x < uses->width; x++)
        if (cols[x])
            col[count++] = x;
    for (int y = 0; y < uses->height; y++)
        for (int i = 0; rows[y] && i < count; i++) {
            int *first = &uses->first[y * uses->width + col[i]];
            if (*first == 0)
                *first = number;
        }
}

static sct_status mark_all(const struct drawing *drawing, struct uses *uses) {
    sct_status status = SCT_OK;
    for (int i = 0; i < drawing->steps && i < MARKED_STEPS && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(drawing->plan, i, &step);
        if (status == SCT_OK)
            mark(uses, &step, i + 1);
    }
    return status;
}

/* The number of pixels from (x, y) to the right that belong to the step. */
static int run_length(const struct uses *uses, int x, int y, int number) {
    int end = x;
    while (end < uses->width && uses->first[y * uses->width + end] == number)
        end++;
    return end - x;
}

/* Takes the largest box of one step, widest first, whose upper left corner is (x, y), and clears
 * its pixels. */
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

/* True if no number so far is so close on the left or right that both would be read as one. */
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
    const struct label number = {uses->view->x + box->x + box->width / 2.0,
                                 uses->view->y + box->y + box->height / 2.0,
                                 svg_fit(text, box->width, box->height, FONT)};
    bool small = number.size < LEAST || (box->width < ROOM && box->height < ROOM);
    if (small || !is_clear(uses, &number))
        return;
    svg_label(out, number.x, number.y + svg_height(number.size) / 2, number.size, "class=\"step\"",
              text);
    uses->number[uses->numbers++] = number;
    uses->numbered[step] = true;
}

/* Draws a box with an outline thin enough to leave a small box visible. */
static void draw_box(const struct uses *uses, const struct box *box, FILE *out) {
    int least = box->width < box->height ? box->width : box->height;
    char outlined[60];
    snprintf(outlined, sizeof outlined, "class=\"used slice\" stroke-width=\"%.2g\"",
             fmin(1.2, 0.3 + least / 20.0));
    svg_box(out, uses->view->x + box->x, uses->view->y + box->y, box->width, box->height,
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
            if (number <= NUMBERED_STEPS && !uses->numbered[number])
                draw_number(uses, &box, number, out);
        }
}

sct_status svg_steps_draw(const struct drawing *drawing, const struct svg_matrix *view, FILE *out) {
    struct uses uses = {.view = view, .width = view->across.length, .height = view->down.length};
    uses.first = calloc((size_t)uses.width * (size_t)uses.height, sizeof *uses.first);
    if (!uses.first)
        return SCT_NO_MEMORY;
    sct_status status = mark_all(drawing, &uses);
    if (status == SCT_OK)
        draw_boxes(&uses, out);
    free(uses.first);
    return status;
}
