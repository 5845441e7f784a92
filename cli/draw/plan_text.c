/* plan_text.c - draws A, B and C, their owners and the slices that one rank uses, as text. */
#include "draw/plan_text.h"

#include "draw/plan_drawing.h"
#include "draw/plan_text_axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SAMPLE_LINES = 5, STEPS_IN_WORDS = 3, GAP = 4 };

struct picture {
    struct drawing drawing;
    struct text_axis axes[DIMS];
    bool used[MATRICES][AXIS_CELLS][AXIS_CELLS];
    const char *light, *plain; /* switch the highlight of a terminal on and off */
};

/* Cuts the dimension down (or across) a matrix where the owner changes, along one line of it. */
static void cut_by_line(struct picture *picture, int matrix, bool down, int64_t line) {
    const struct drawing *drawing = &picture->drawing;
    struct text_axis *axis = &picture->axes[down ? drawing_down(matrix) : drawing_across(matrix)];
    int64_t at = 0;
    int before = -1;
    while (at < axis->size && !axis->scaled) {
        struct place place = down ? (struct place){at, line} : (struct place){line, at};
        int owner = drawing_owner(drawing, matrix, place.row, place.col);
        sct_slice tile = drawing_tile(drawing, matrix, place.row, place.col);
        if (owner != before)
            text_axis_cut(axis, at);
        before = owner;
        at = down ? tile.rows.hi : tile.cols.hi;
    }
}

/* Cuts both dimensions of a matrix where owners change, along a few lines each way. */
static void cut_by_owners(struct picture *picture, int matrix) {
    int64_t rows = picture->axes[drawing_down(matrix)].size;
    int64_t cols = picture->axes[drawing_across(matrix)].size;
    for (int i = 0; rows > 0 && cols > 0 && i < SAMPLE_LINES; i++) {
        cut_by_line(picture, matrix, true, (cols - 1) / (SAMPLE_LINES - 1) * i);
        cut_by_line(picture, matrix, false, (rows - 1) / (SAMPLE_LINES - 1) * i);
    }
}

static sct_status cut_by_steps(struct picture *picture) {
    for (int64_t i = 0; i < picture->drawing.steps; i++) {
        sct_step step;
        sct_status status = sct_plan_step(picture->drawing.plan, i, &step);
        if (status != SCT_OK)
            return status;
        for (int dim = 0; dim < DIMS; dim++) {
            const sct_indices *indices = drawing_indices(&step, dim);
            for (int64_t j = 0; j < indices->ranges; j++) {
                sct_range range = sct_indices_range(indices, j);
                text_axis_cut(&picture->axes[dim], range.lo);
                text_axis_cut(&picture->axes[dim], range.hi);
            }
        }
    }
    return SCT_OK;
}

/* The cells of a dimension that a step uses. In a scaled dimension it may use a part of a cell. */
static void find_cells(const struct text_axis *axis, const sct_indices *indices,
                       bool cells[AXIS_CELLS]) {
    for (int cell = 0; cell < AXIS_CELLS; cell++)
        cells[cell] = false;
    for (int64_t j = 0; j < indices->ranges; j++) {
        sct_range range = sct_indices_range(indices, j);
        for (int cell = 0; cell < axis->cells; cell++)
            if (axis->bound[cell] < range.hi && range.lo < axis->bound[cell + 1])
                cells[cell] = true;
    }
}

static void mark_used(struct picture *picture, const sct_step *step) {
    bool cells[DIMS][AXIS_CELLS];
    for (int dim = 0; dim < DIMS; dim++)
        find_cells(&picture->axes[dim], drawing_indices(step, dim), cells[dim]);
    for (int matrix = 0; matrix < MATRICES; matrix++)
        for (int row = 0; row < AXIS_CELLS; row++)
            for (int col = 0; col < AXIS_CELLS; col++)
                if (cells[drawing_down(matrix)][row] && cells[drawing_across(matrix)][col])
                    picture->used[matrix][row][col] = true;
}

static sct_status mark_steps(struct picture *picture) {
    for (int64_t i = 0; i < picture->drawing.steps; i++) {
        sct_step step;
        sct_status status = sct_plan_step(picture->drawing.plan, i, &step);
        if (status != SCT_OK)
            return status;
        mark_used(picture, &step);
    }
    return SCT_OK;
}

static char letter_of(int rank) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return rank < (int)sizeof letters - 1 ? letters[rank] : '+';
}

static void print_line(const struct picture *picture, int matrix, int row) {
    const struct text_axis *down = &picture->axes[drawing_down(matrix)];
    const struct text_axis *across = &picture->axes[drawing_across(matrix)];
    bool before = false;
    for (int col = 0; col < across->cells; col++) {
        bool used = picture->used[matrix][row][col];
        printf("%s%c%s", used && !before ? picture->light : "",
               used == before ? ' '
               : used         ? '['
                              : ']',
               before && !used ? picture->plain : "");
        putchar(letter_of(
            drawing_owner(&picture->drawing, matrix, down->bound[row], across->bound[col])));
        before = used;
    }
    printf("%c%s", before ? ']' : ' ', before ? picture->plain : "");
}

static int width_of(const struct picture *picture, int matrix) {
    return 2 * picture->axes[drawing_across(matrix)].cells + 1;
}

/* B above C, A to the left of C. */
static void print_matrices(const struct picture *picture) {
    const sct_op *op = picture->drawing.problem->args->op;
    int left = width_of(picture, MATRIX_A) > 14 ? width_of(picture, MATRIX_A) : 14;
    printf("%*s %s, k x n\n", left + GAP, "", op[MATRIX_B] == SCT_N ? "B" : "op(B)");
    for (int row = 0; row < picture->axes[DIM_K].cells; row++) {
        printf("%*s", left + GAP, "");
        print_line(picture, MATRIX_B, row);
        putchar('\n');
    }
    printf("\n %-*s C, m x n\n", left + GAP - 1,
           op[MATRIX_A] == SCT_N ? "A, m x k" : "op(A), m x k");
    for (int row = 0; row < picture->axes[DIM_M].cells; row++) {
        print_line(picture, MATRIX_A, row);
        printf("%*s", left + GAP - width_of(picture, MATRIX_A), "");
        print_line(picture, MATRIX_C, row);
        putchar('\n');
    }
}

static void print_legend(const struct picture *picture) {
    static const char dims[] = "mnk", names[] = "ABC";
    const struct args *args = picture->drawing.problem->args;
    printf("\nEach digit or letter is the owner of a part (ranks 0 to 9, a to z, A to Z, then +).\n"
           "[Brackets] mark the parts that rank %" PRId64 " uses.\n",
           args->rank);
    for (int i = 0; i < DIMS; i++)
        if (picture->axes[i].scaled)
            printf("%c is scaled: a cell is 1/%d of %" PRId64
                   " indices and shows the owner of the first.\n",
                   dims[i], AXIS_CELLS, picture->axes[i].size);
    for (int i = 0; i < MATRICES; i++) {
        int replicas = sct_layout_replicas(picture->drawing.problem->layout[i]);
        if (replicas > 1)
            printf("%c has %d replicas; replica %d is drawn.\n", names[i], replicas,
                   picture->drawing.replica[i]);
    }
}

static void print_indices(const sct_indices *indices) {
    if (indices->ranges > 0)
        printf("%" PRId64 ":%" PRId64, indices->first.lo, indices->first.hi);
    if (indices->ranges > 1)
        printf(" and %" PRId64 " more", indices->ranges - 1);
}

static void print_operand(const char *name, const sct_indices *rows, const sct_indices *cols,
                          int rank, const char *how) {
    printf("%s[", name);
    print_indices(rows);
    printf(", ");
    print_indices(cols);
    if (rank >= 0)
        printf("] of rank %d, %s\n", rank, how);
    else
        printf("] of several ranks, %s\n", how);
}

static void print_step(const sct_op *op, int64_t number, const sct_step *step) {
    static const char *const reads[] = {
        [SCT_IN_PLACE] = "read in place", [SCT_BY_COPY] = "copied to workspace"};
    printf("  %" PRId64 ".  ", number);
    print_operand("C", &step->m, &step->n, step->owner_c,
                  step->c == SCT_IN_PLACE ? "written in place" : "accumulated from workspace");
    print_operand(op[MATRIX_A] == SCT_N ? "   += A" : "   += op(A)", &step->m, &step->k,
                  step->owner_a, reads[step->a]);
    print_operand(op[MATRIX_B] == SCT_N ? "    x B" : "    x op(B)", &step->k, &step->n,
                  step->owner_b, reads[step->b]);
}

static sct_status print_steps(const struct picture *picture) {
    sct_status status = SCT_OK;
    printf("\nRank %" PRId64 " does %" PRId64 " step%s%s\n", picture->drawing.problem->args->rank,
           picture->drawing.steps, picture->drawing.steps == 1 ? "" : "s",
           picture->drawing.steps > 0 ? ":" : ".");
    for (int64_t i = 0; i < picture->drawing.steps && i < STEPS_IN_WORDS && status == SCT_OK; i++) {
        sct_step step;
        status = sct_plan_step(picture->drawing.plan, i, &step);
        if (status == SCT_OK)
            print_step(picture->drawing.problem->args->op, i + 1, &step);
    }
    if (picture->drawing.steps > STEPS_IN_WORDS)
        printf("  and %" PRId64 " more steps; --steps lists all.\n",
               picture->drawing.steps - STEPS_IN_WORDS);
    return status;
}

static sct_status draw(struct picture *picture) {
    for (int i = 0; i < MATRICES; i++)
        cut_by_owners(picture, i);
    sct_status status = cut_by_steps(picture);
    for (int i = 0; i < DIMS; i++)
        text_axis_divide(&picture->axes[i]);
    return status == SCT_OK ? mark_steps(picture) : status;
}

enum code plan_text_print(const struct problem *problem, const sct_plan *plan) {
    bool bright = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    struct picture picture = {.light = bright ? "\033[7m" : "", .plain = bright ? "\033[0m" : ""};
    sct_status status = drawing_create(problem, plan, &picture.drawing);
    for (int i = 0; i < DIMS; i++)
        picture.axes[i].size = picture.drawing.size[i];
    if (status == SCT_OK)
        status = draw(&picture);
    if (status == SCT_OK) {
        problem_print(problem, sct_plan_stay(plan));
        putchar('\n');
        print_matrices(&picture);
        print_legend(&picture);
        status = print_steps(&picture);
    }
    if (status != SCT_OK)
        report_error("%s", sct_last_reason());
    return report_code(status);
}
