/* plan_picture.c - draws the picture of a plan, with the flags that make it. */
#include "draw/plan_picture.h"

#include "pictures/plan_svg.h"

#include <inttypes.h>

/* Writes the flags of the problem, so that a reader can plan it again. */
static void write_command(const struct problem *problem, sct_stay stay,
                          struct text_lines *command) {
    static const char ops[] = "NTC";
    char shape[SHAPE_TEXT];
    const struct args *args = problem->args;
    text_lines_join(command, "--ranks %" PRId64, args->ranks);
    args_shape_text(&args->shape, shape);
    text_lines_join(command, "--shape %s", shape);
    if (args->op[MATRIX_A] != SCT_N || args->op[MATRIX_B] != SCT_N)
        text_lines_join(command, "--op %c%c", ops[args->op[MATRIX_A]], ops[args->op[MATRIX_B]]);
    for (int i = 0; i < MATRICES; i++)
        text_lines_join(command, "--%c %s", "abc"[i], args -> layout[i]);
    for (int i = 0; i < MATRICES; i++)
        if (args->view[i].given)
            text_lines_join(command, "--view-%c %" PRId64 "x%" PRId64 "+%" PRId64 "+%" PRId64,
                            "abc"[i], args -> view[i].rows, args->view[i].cols, args->view[i].row,
                            args->view[i].col);
    text_lines_join(command, "--stay %s", sct_stay_name(stay));
    if (problem->work_text)
        text_lines_join(command, "--work %s", problem->work_text);
    if (args->slicing == SCT_SLICE_TILE)
        text_lines_join(command, "--slice tile");
    if (args->per_node > 0)
        text_lines_join(command, "--per-node %" PRId64, args->per_node);
    text_lines_join(command, "--rank %" PRId64, args->rank);
}

enum code plan_picture_draw(const struct problem *problem, const sct_plan *plan, FILE *out) {
    struct text_lines command = {0};
    write_command(problem, sct_plan_stay(plan), &command);
    sct_status status =
        plan_svg_draw(&problem->value, plan, (int)problem->args->rank, &command, out);
    if (status == SCT_NO_MEMORY)
        report_error("no memory for the page");
    return status == SCT_NO_MEMORY ? CODE_FAILED : report_status(status);
}
